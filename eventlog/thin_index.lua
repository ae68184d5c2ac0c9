#!lua
-- Takes what was trimmed out of the indices of aggregates. Only what a snapshot stands for goes;
-- the last version of each stays, and those that a snapshot was taken after.
--
-- KEYS  1 meta  2 lease, then for each aggregate its sorted set and the hash of its snapshots
-- ARGV  1 fencing token  2 leave an index with at most this many entries as it is
-- Returns 'thinned' and how many entries went, or 'fenced' and the token that is valid.

local token = redis.call('HGET', KEYS[2], 'token')
if token ~= ARGV[1] then
  return {'fenced', token or ''}
end
local floor = tonumber(redis.call('HGET', KEYS[1], 'floor') or '1')
local gone = 0
for at = 3, #KEYS, 2 do
  local covered, taken_after = 0, {}
  local versions = redis.pcall('HKEYS', KEYS[at + 1])
  for _, version in ipairs(versions.err and {} or versions) do
    covered = math.max(covered, tonumber(version) or 0)
    taken_after[version] = true
  end
  if redis.call('ZCARD', KEYS[at]) > tonumber(ARGV[2]) then
    local index = redis.call('ZRANGE', KEYS[at], 0, -1, 'WITHSCORES')
    for i = 1, #index - 2, 2 do
      local position, version = tonumber(index[i]), index[i + 1]
      if position < floor and tonumber(version) < covered and not taken_after[version] then
        gone = gone + redis.call('ZREM', KEYS[at], index[i])
      end
    end
  end
end
return {'thinned', gone}
