#!lua
-- Takes or renews a lease, or gives it back. Its token is higher than every token before, so that
-- a holder who slept past the end of his lease is known by the lower one.
--
-- KEYS  1 lease  2 meta
-- ARGV  1 name of the lease  2 holder  3 milliseconds it shall last, 0 to give it back
-- Returns the token of this holder, or 0 and who holds it ('' if nobody does).

local token, holder = unpack(redis.call('HMGET', KEYS[1], 'token', 'holder'))
if token and holder ~= ARGV[2] then
  return {0, holder}
end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
  return {0, ''}
end
if not token then
  token = redis.call('HINCRBY', KEYS[2], 'token:' .. ARGV[1], 1)
  redis.call('HSET', KEYS[1], 'token', token, 'holder', ARGV[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {tonumber(token), ARGV[2]}
