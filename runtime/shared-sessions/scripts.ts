/**
 * Lua scripts that check a session before they change it. Each uses the keys of one session. The first command that writes must be one that a
 * full Redis refuses: after a successful write Redis would let the rest of the script exceed its memory limit.
 */
import { RedisScript } from '../redis/script.ts';

/** ARGV: lifetime in milliseconds, then names and values of fields in turn. */
export const CREATE: RedisScript = new RedisScript(`
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`);

/**
 * ARGV: lifetime in milliseconds, or 0 to keep the current one. Returns alternating names and values, or nothing when the session does not
 * exist.
 */
export const LOAD: RedisScript = new RedisScript(`
local fields = redis.call('HGETALL', KEYS[1])
if #fields > 0 and tonumber(ARGV[1]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return fields`);

/**
 * ARGV: the number of fields to remove, their names, then alternating names and values of fields to set. Returns 0 when the session does not
 * exist.
 */
export const CHANGE: RedisScript = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local removed = tonumber(ARGV[1])
if #ARGV > removed + 1 then redis.call('HSET', KEYS[1], unpack(ARGV, removed + 2)) end
if removed > 0 then redis.call('HDEL', KEYS[1], unpack(ARGV, 2, removed + 1)) end
return 1`);

/**
 * ARGV: a field, its new value, and the old value that it may replace. Returns the field's value after that; nil when the session does not
 * exist.
 */
export const CLAIM: RedisScript = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local now = redis.call('HGET', KEYS[1], ARGV[1])
if now and now ~= ARGV[3] then return now end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]`);

/** ARGV: a proposed secret. Returns the secret that is stored, which is the proposed one if there was none. */
export const SECRET: RedisScript = new RedisScript(`
local kept = redis.call('GET', KEYS[1])
if kept then return kept end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]`);

/**
 * KEYS: the events, the session. ARGV: limits on events and bytes, lifetime in milliseconds, then stream, position and text. A field of the
 * session counts the bytes.
 */
export const ADD_EVENT: RedisScript = new RedisScript(`
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local entry = ARGV[4] .. '\\n' .. ARGV[5] .. '\\n' .. ARGV[6]
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[2], 'bytes', 0) end
local count = redis.call('RPUSH', KEYS[1], entry)
local bytes = redis.call('HINCRBY', KEYS[2], 'bytes', #entry)
while count > tonumber(ARGV[1]) or (bytes > tonumber(ARGV[2]) and count > 0) do
  local oldest = redis.call('LPOP', KEYS[1])
  count = count - 1
  bytes = redis.call('HINCRBY', KEYS[2], 'bytes', -#oldest)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`);
