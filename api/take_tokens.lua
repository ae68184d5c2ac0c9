-- Token bucket, one per caller and purpose.
-- KEYS[1] bucket. ARGV: now (µs), tokens per second, burst, cost.
-- Answers {taken 0|1, tokens left × 1000, µs until the cost can be taken}.
-- A cost above the burst is taken from a full bucket and leaves a debt, so that a large batch is
-- possible and the rate still holds. The time is the node's, so that tests and replays can set it;
-- a clock that went back refills nothing.
local now, rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(kept[1]) or burst
local elapsed = math.max(0, now - (tonumber(kept[2]) or now))
tokens = math.min(burst, tokens + elapsed * rate / 1000000)
local needed = math.min(cost, burst)
local taken, wait = 0, 0
if tokens >= needed then
  taken = 1
  tokens = tokens - cost
else
  wait = math.ceil((needed - tokens) * 1000000 / rate)
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) * 1000 / rate) + 1000)
return {taken, math.floor(tokens * 1000), wait}
