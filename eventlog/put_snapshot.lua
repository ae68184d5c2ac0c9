#!lua
-- Keeps the newest snapshots of an aggregate.
--
-- KEYS  1 hash of its snapshots
-- ARGV  1 version  2 snapshot  3 how many to keep

redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local versions = redis.call('HKEYS', KEYS[1])
table.sort(versions, function(a, b) return tonumber(a) > tonumber(b) end)
for i = tonumber(ARGV[3]) + 1, #versions do
  redis.call('HDEL', KEYS[1], versions[i])
end
return #versions
