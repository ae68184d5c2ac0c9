#!lua
-- Begins a new epoch of a log, if it still has the one that is to be left.
--
-- KEYS  1 meta
-- ARGV  1 the epoch that is left, '' where there is none  2 the new one  3 its lineage
-- Returns the epoch that was there.

local epoch = redis.call('HGET', KEYS[1], 'epoch') or ''
if epoch == ARGV[1] then
  redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'lineage', ARGV[3])
  redis.call('HSETNX', KEYS[1], 'format', '2')
end
return epoch
