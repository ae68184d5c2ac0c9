#!lua
-- Appends the events of one command to the log: all of them, or nothing.
--
-- Order: which log it is, command id, fence, versions, sealing keys, tracking; the first write comes
-- after the last check. There is no clock and no chance in here, and every key is declared. The
-- shebang makes the server refuse the whole script when it is out of memory, before it starts.
--
-- KEYS  1 log  2 command records  3 meta  4 tracking  5 lease
--       then one sorted set per aggregate (written or only read), then one hash per sealing key
-- ARGV  1 command id  2 fingerprint  3 second at which the command record may go, or ''
--       4 'next' (each version follows the one before) or 'unique' (no version twice)
--       5 fencing token, or ''  6 name of the tracked log, or ''  7 tracked position
--       8 epoch for a log that has none  9 number of aggregates  10 number of sealing keys
--       11 number of aggregates that were only read
--       12 the epoch that the writer follows, or ''  13 the last position that it was told of
--       then per sealing key: its field, key, and what to do with it: 'make' it unless it is there,
--       'hold' (it must be there), 'destroy' (it may be made anew), 'erase' (never again), 'name'
--       (nothing, but it must not have been erased)
--       then per aggregate that was only read: its number, its version (0: it has no events)
--       then per event: number of its aggregate, then e k a n t s o u r p d
-- Returns a status and its numbers; positions are integers below 2^53.

local HEADER_KEYS, HEADER_ARGS, KEY_ARGS, EVENT_ARGS = 5, 13, 3, 12

local command_id, fingerprint = ARGV[1], ARGV[2]
local aggregates, sealing_keys = tonumber(ARGV[9]), tonumber(ARGV[10])
local first_read = HEADER_ARGS + KEY_ARGS * sealing_keys + 1
local first_event = first_read + 2 * tonumber(ARGV[11])

local epoch = redis.call('HGET', KEYS[3], 'epoch') or ''
if ARGV[12] ~= '' and epoch ~= ARGV[12] then
  return {'forked', epoch, -1}
end

local record = redis.call('HGET', KEYS[2], command_id)
if record then
  local first, count, recorded = string.match(record, '^(%d+):(%d+):(.*)$')
  if recorded ~= fingerprint then
    return {'key-reused'}
  end
  return {'duplicate', tonumber(first), tonumber(first) + tonumber(count) - 1}
end

if ARGV[5] ~= '' then
  local token = redis.call('HGET', KEYS[5], 'token')
  if token ~= ARGV[5] then
    return {'fenced', token or ''}
  end
end

local heads, taken = {}, {}
for i = 1, aggregates do
  local last = redis.call('ZRANGE', KEYS[HEADER_KEYS + i], -1, -1, 'WITHSCORES')
  heads[i] = last[2] and tonumber(last[2]) or 0
  taken[i] = {}
end
for at = first_read, first_event - 1, 2 do
  local aggregate, version = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  if heads[aggregate] ~= version then
    return {'conflict', aggregate, version, heads[aggregate]}
  end
end
local expected = {}
for at = first_event, #ARGV, EVENT_ARGS do
  local aggregate, version = tonumber(ARGV[at]), tonumber(ARGV[at + 4])
  if ARGV[4] == 'next' then
    expected[aggregate] = (expected[aggregate] or heads[aggregate]) + 1
    if version ~= expected[aggregate] then
      return {'conflict', aggregate, version - 1, heads[aggregate]}
    end
  elseif taken[aggregate][version]
    or redis.call('ZCOUNT', KEYS[HEADER_KEYS + aggregate], version, version) > 0 then
    return {'conflict', aggregate, version - 1, heads[aggregate]}
  end
  taken[aggregate][version] = true
end

local first_key_argument = HEADER_ARGS + 1
local gone, others = {'erased'}, {'key-mismatch'}
for i = 1, sealing_keys do
  local at = first_key_argument + KEY_ARGS * (i - 1)
  local what = ARGV[at + 2]
  local stored = redis.call('HGET', KEYS[HEADER_KEYS + aggregates + i], ARGV[at])
  if what ~= 'destroy' and what ~= 'erase' then
    if stored == '' then
      gone[#gone + 1] = ARGV[at]
    elseif what ~= 'name' and stored ~= ARGV[at + 1] and (stored or what == 'hold') then
      others[#others + 1] = ARGV[at]
      others[#others + 1] = stored or ''
    end
  end
end
if #gone > 1 then
  return gone
end
if #others > 1 then
  return others
end

if ARGV[6] ~= '' then
  local tracked = tonumber(redis.call('HGET', KEYS[4], ARGV[6]) or '0')
  if tonumber(ARGV[7]) <= tracked then
    return {'tracked', tracked}
  end
end

local function last_generated()
  local info = redis.call('EXISTS', KEYS[1]) == 1 and redis.call('XINFO', 'STREAM', KEYS[1]) or {}
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      return tonumber(string.match(info[i + 1], '^(%d+)-'))
    end
  end
  return 0
end

local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local head = newest and tonumber(string.match(newest[1], '^(%d+)-')) or 0
if head < tonumber(ARGV[13]) then
  -- Trimmed or deleted, or lost: a log that ends before what a writer was told of has another end.
  head = last_generated()
  if head < tonumber(ARGV[13]) then
    return {'forked', epoch, head}
  end
end

local function add(position, at)
  return redis.pcall('XADD', KEYS[1], string.format('%d-0', position),
    'e', ARGV[at + 1], 'k', ARGV[at + 2], 'a', ARGV[at + 3], 'n', ARGV[at + 4],
    't', ARGV[at + 5], 's', ARGV[at + 6], 'o', ARGV[at + 7], 'c', command_id, 'f', fingerprint,
    'u', ARGV[at + 8], 'r', ARGV[at + 9], 'p', ARGV[at + 10], 'd', ARGV[at + 11])
end

if first_event <= #ARGV and type(add(head + 1, first_event)) == 'table' then
  -- Refused, so nothing is written yet: the newest entries were trimmed or deleted. The stream
  -- remembers its last id; asking for it always would copy its first entry, however large.
  head = last_generated()
  local added = add(head + 1, first_event)
  if type(added) == 'table' then
    return added
  end
end

-- From here on nothing is refused any more: the stream has taken its next position.
local first, position = head + 1, head
for at = first_event, #ARGV, EVENT_ARGS do
  position = position + 1
  local added = position == first or add(position, at)
  if type(added) == 'table' then
    error(added.err)
  end
  redis.call('ZADD', KEYS[HEADER_KEYS + tonumber(ARGV[at])], ARGV[at + 4],
    string.format('%d', position))
end
redis.call('HSETNX', KEYS[3], 'epoch', ARGV[8])
redis.call('HSETNX', KEYS[3], 'format', '2')
for i = 1, sealing_keys do
  local at = first_key_argument + KEY_ARGS * (i - 1)
  if ARGV[at + 2] == 'make' then
    redis.call('HSETNX', KEYS[HEADER_KEYS + aggregates + i], ARGV[at], ARGV[at + 1])
  elseif ARGV[at + 2] == 'destroy' then
    redis.call('HDEL', KEYS[HEADER_KEYS + aggregates + i], ARGV[at])
  elseif ARGV[at + 2] == 'erase' then
    -- What stays says that the subject may never have a key again.
    redis.call('HDEL', KEYS[HEADER_KEYS + aggregates + i], ARGV[at])
    redis.call('HSETNX', KEYS[HEADER_KEYS + aggregates + i], ARGV[at], '')
  end
end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[6], ARGV[7])
end
local new_day = ARGV[3] ~= '' and redis.call('EXISTS', KEYS[2]) == 0
redis.call('HSET', KEYS[2], command_id,
  string.format('%d:%d:%s', first, position - head, fingerprint))
if new_day then
  redis.call('EXPIREAT', KEYS[2], ARGV[3])
end
return {'appended', first, position, redis.call('HGET', KEYS[3], 'epoch')}
