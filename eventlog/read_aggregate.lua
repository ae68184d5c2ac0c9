#!lua flags=no-writes
-- Reads the events of one aggregate in the order of their versions, in one round trip.
--
-- KEYS  1 sorted set of the aggregate  2 log
-- ARGV  1 after this version  2 up to this version, or '+inf'  3 limit, or -1  4 'asc' or 'desc'
-- Returns pairs: position, its fields (false when the log does not hold it any more).

local positions
if ARGV[4] == 'desc' then
  positions = redis.call('ZRANGE', KEYS[1], ARGV[2], '(' .. ARGV[1], 'BYSCORE', 'REV',
    'LIMIT', 0, ARGV[3])
else
  positions = redis.call('ZRANGE', KEYS[1], '(' .. ARGV[1], ARGV[2], 'BYSCORE',
    'LIMIT', 0, ARGV[3])
end
local found = {}
for i, position in ipairs(positions) do
  local entry = redis.call('XRANGE', KEYS[2], position .. '-0', position .. '-0')[1]
  found[i] = {position, entry and entry[2] or false}
end
return found
