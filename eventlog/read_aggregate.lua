#!lua flags=no-writes
-- Reads the events of one aggregate in the order of their versions, in one round trip.
--
-- KEYS  1 sorted set of the aggregate  2 log  3 meta
-- ARGV  1 after this version  2 up to this version, or '+inf'  3 limit, or -1  4 'asc' or 'desc'
-- Returns the first position that was not trimmed, the aggregate's last version, how many of its
-- versions the index has; then version, position and fields (false when the log does not hold it
-- any more) of each event.

local found
if ARGV[4] == 'desc' then
  found = redis.call('ZRANGE', KEYS[1], ARGV[2], '(' .. ARGV[1], 'BYSCORE', 'REV',
    'LIMIT', 0, ARGV[3], 'WITHSCORES')
else
  found = redis.call('ZRANGE', KEYS[1], '(' .. ARGV[1], ARGV[2], 'BYSCORE',
    'LIMIT', 0, ARGV[3], 'WITHSCORES')
end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
local answer = {
  tonumber(redis.call('HGET', KEYS[3], 'floor') or '1'),
  tonumber(last[2] or '0'),
  redis.call('ZCARD', KEYS[1]),
}
for i = 1, #found, 2 do
  local entry = redis.call('XRANGE', KEYS[2], found[i] .. '-0', found[i] .. '-0')[1]
  answer[#answer + 1] = {tonumber(found[i + 1]), tonumber(found[i]), entry and entry[2] or false}
end
return answer
