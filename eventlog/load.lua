#!lua
-- Puts entries with their positions into a log that is being loaded, and into no other.
--
-- KEYS  1 log  2 meta
-- ARGV  1 the mark of the loading  2 for each entry its position, how many names and values it has,
--       and these
-- Returns how many were added, or -1 if the log has an epoch or is not loaded under this mark.

if redis.call('HGET', KEYS[2], 'epoch') or redis.call('HGET', KEYS[2], 'restoring') ~= ARGV[1] then
  return -1
end
local at, added = 2, 0
while at < #ARGV do
  local entry, fields = {}, tonumber(ARGV[at + 1])
  for i = 1, fields do
    entry[i] = ARGV[at + 1 + i]
  end
  redis.call('XADD', KEYS[1], ARGV[at] .. '-0', unpack(entry))
  at, added = at + 2 + fields, added + 1
end
return added
