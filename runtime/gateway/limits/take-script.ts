import { RedisScript } from '../../redis/script.ts';

/**
 * Implements `TokenBuckets.take` as one step in Redis. Keys: one for each bucket. Arguments: for each bucket its size and the time in which it
 * fills up, in microseconds. Returns the index of the first bucket without a token, or -1. A bucket is a hash: `tokens`, with fractions, and
 * `last_refill`, in microseconds of Redis' clock, so that all replicas use the same one. Numbers are written with all their digits: Lua would
 * write 14. A bucket expires after twice the time in which it fills up, and is full again.
 */
export const TAKE: RedisScript = new RedisScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local missing = -1
local left = {}
for at, key in ipairs(KEYS) do
  local size = tonumber(ARGV[2 * at - 1])
  local period = tonumber(ARGV[2 * at])
  local kept = redis.call('HMGET', key, 'tokens', 'last_refill')
  local tokens = size
  if kept[1] and kept[2] then
    local elapsed = math.max(0, now - tonumber(kept[2]))
    tokens = math.min(size, tonumber(kept[1]) + elapsed * size / period)
  end
  if missing < 0 and tokens < 1 then missing = at - 1 end
  left[at] = tokens
end
for at, key in ipairs(KEYS) do
  if missing < 0 then left[at] = left[at] - 1 end
  redis.call('HSET', key, 'tokens', string.format('%.17g', left[at]), 'last_refill', string.format('%.0f', now))
  redis.call('EXPIRE', key, math.min(math.ceil(2 * tonumber(ARGV[2 * at]) / 1000000), 2147483647))
end
return missing
`);
