#!lua
-- Keeps a snapshot of an aggregate, and of the older ones the newest.
--
-- Each is kept together with the id of the event it was taken after: a log with another history
-- has another event at that version.
--
-- KEYS  1 hash of its snapshots  2 sorted set of the aggregate  3 log
-- ARGV  1 version  2 snapshot  3 how many to keep
-- Returns how many are kept; nothing is written if the log does not hold the event.

local position = redis.call('ZRANGE', KEYS[2], ARGV[1], ARGV[1], 'BYSCORE')[1]
local entry = position and redis.call('XRANGE', KEYS[3], position .. '-0', position .. '-0')[1]
if not entry then
  return 0
end
local event_id = ''
for i = 1, #entry[2], 2 do
  if entry[2][i] == 'e' then
    event_id = entry[2][i + 1]
  end
end
redis.call('HSET', KEYS[1], ARGV[1], event_id .. '\n' .. ARGV[2])
local versions = redis.call('HKEYS', KEYS[1])
table.sort(versions, function(a, b) return tonumber(a) > tonumber(b) end)
for i = tonumber(ARGV[3]) + 1, #versions do
  redis.call('HDEL', KEYS[1], versions[i])
end
return math.min(#versions, tonumber(ARGV[3]))
