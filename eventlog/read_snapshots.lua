#!lua flags=no-writes
-- Reads those snapshots of an aggregate whose event the log still holds, or moved to the archive:
-- what is archived has one history only.
--
-- KEYS  1 hash of its snapshots  2 sorted set of the aggregate  3 log  4 meta
-- Returns pairs: version, snapshot.

local found = {}
local kept = redis.pcall('HGETALL', KEYS[1])
if kept.err then
  -- Something else lies there. Whatever it is, it must not keep an aggregate from loading.
  return found
end
local floor = tonumber(redis.call('HGET', KEYS[4], 'floor') or '1')
for i = 1, #kept, 2 do
  local ends = string.find(kept[i + 1], '\n', 1, true)
  local position = tonumber(kept[i]) and redis.call('ZRANGE', KEYS[2], kept[i], kept[i], 'BYSCORE')[1]
  if ends and position then
    local event_id = tonumber(position) < floor and string.sub(kept[i + 1], 1, ends - 1)
    local entry = redis.call('XRANGE', KEYS[3], position .. '-0', position .. '-0')[1]
    for j = 1, entry and #entry[2] or 0, 2 do
      if entry[2][j] == 'e' then
        event_id = entry[2][j + 1]
      end
    end
    if event_id == string.sub(kept[i + 1], 1, ends - 1) then
      found[#found + 1] = {kept[i], string.sub(kept[i + 1], ends + 1)}
    end
  end
end
return found
