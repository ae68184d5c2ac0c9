#!lua
-- Takes what was trimmed out of the indices of aggregates, except the last version of each, and
-- those that a snapshot stands at.
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
  if redis.call('ZCARD', KEYS[at]) > tonumber(ARGV[2]) then
    local index = redis.call('ZRANGE', KEYS[at], 0, -1, 'WITHSCORES')
    for i = 1, #index - 2, 2 do
      if tonumber(index[i]) < floor
        and redis.call('HEXISTS', KEYS[at + 1], index[i + 1]) == 0 then
        gone = gone + redis.call('ZREM', KEYS[at], index[i])
      end
    end
  end
end
return {'thinned', gone}
