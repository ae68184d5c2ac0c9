#!lua flags=no-writes
-- Tells where the log ends, which log it is, which event stands at a position, and where what was
-- not moved to the archive begins.
--
-- KEYS  1 log  2 meta
-- ARGV  1 position, or '' for the head
-- Returns head, event id at the position ('' if there is none), epoch ('' if there is none), first
-- position that was not trimmed, chain before it ('' if nothing was trimmed).

local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local head = newest and tonumber(string.match(newest[1], '^(%d+)-')) or 0
if not newest and redis.call('EXISTS', KEYS[1]) == 1 then
  -- All was trimmed; the stream remembers its last id.
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      head = tonumber(string.match(info[i + 1], '^(%d+)-'))
    end
  end
end
local position = ARGV[1] ~= '' and ARGV[1] or string.format('%d', head)
local event_id = ''
if position ~= '0' then
  local entry = redis.call('XRANGE', KEYS[1], position .. '-0', position .. '-0')[1]
  if entry then
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 'e' then
        event_id = entry[2][i + 1]
      end
    end
  end
end
local meta = redis.call('HMGET', KEYS[2], 'epoch', 'floor', 'floor_chain')
return {head, event_id, meta[1] or '', tonumber(meta[2] or '1'), meta[3] or ''}
