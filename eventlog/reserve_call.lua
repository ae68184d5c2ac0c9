#!lua
-- Takes one call of a day's budget from the first pool that has one left. A call that was taken
-- already is not taken again, so that asking twice for it costs one.
--
-- KEYS  the pools of that day, sets of the calls taken, in the order in which they are tried
-- ARGV  1 id of the call  2 seconds that a pool is kept  3.. how many calls each pool has
-- Returns the number of the pool, from 1, or 0 when all are empty.

for at = 1, #KEYS do
  if redis.call('SISMEMBER', KEYS[at], ARGV[1]) == 1 then
    return at
  end
end
for at = 1, #KEYS do
  if redis.call('SCARD', KEYS[at]) < tonumber(ARGV[at + 2]) then
    redis.call('SADD', KEYS[at], ARGV[1])
    redis.call('EXPIRE', KEYS[at], ARGV[2])
    return at
  end
end
return 0
