#!lua
-- Takes the archived beginning off the log. The fence first: only the holder of the lease may.
--
-- KEYS  1 log  2 meta  3 lease
-- ARGV  1 fencing token  2 first position that stays  3 chain before it
-- Returns 'trimmed' and how many entries went, 'fenced' and the token that is valid, or 'kept' and
-- the floor, if that is not below the position.

local token = redis.call('HGET', KEYS[3], 'token')
if token ~= ARGV[1] then
  return {'fenced', token or ''}
end
local floor = tonumber(redis.call('HGET', KEYS[2], 'floor') or '1')
if tonumber(ARGV[2]) <= floor then
  return {'kept', floor}
end
-- Neither of the two can be there without the other: both are in this one script.
redis.call('HSET', KEYS[2], 'floor', ARGV[2], 'floor_chain', ARGV[3])
return {'trimmed', redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[2] .. '-0')}
