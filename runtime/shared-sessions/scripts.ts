/**
 * Lua scripts that check that a session exists before they change it. Each script uses the keys of one session. The first command that writes must be
 * one that Redis refuses when its memory is full: after any other write, Redis would accept all further commands of the script.
 */
import { RedisScript } from '../redis/script.ts';

/** Creates a session. ARGV: lifetime in milliseconds, then alternating names and values of fields. */
export const CREATE: RedisScript = new RedisScript(`
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`);

/**
 * Loads the fields of a session. ARGV: lifetime in milliseconds, or 0 to keep the current one. Returns alternating names and values, or nothing if the
 * session does not exist.
 */
export const LOAD: RedisScript = new RedisScript(`
local fields = redis.call('HGETALL', KEYS[1])
if #fields > 0 and tonumber(ARGV[1]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return fields`);

/**
 * Changes fields of a session. ARGV: the number of fields to remove, their names, then alternating names and values of fields to set. Returns 0 if the
 * session does not exist.
 */
export const CHANGE: RedisScript = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local removed = tonumber(ARGV[1])
if #ARGV > removed + 1 then redis.call('HSET', KEYS[1], unpack(ARGV, removed + 2)) end
if removed > 0 then redis.call('HDEL', KEYS[1], unpack(ARGV, 2, removed + 1)) end
return 1`);

/**
 * Sets a field if it has no value, or the given old value. ARGV: the field, its new value, and the old value. Returns the value that the field then
 * has; nil if the session does not exist.
 */
export const CLAIM: RedisScript = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local now = redis.call('HGET', KEYS[1], ARGV[1])
if now and now ~= ARGV[3] then return now end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]`);

/** Stores a secret if there is none. ARGV: the proposed secret. Returns the stored secret. */
export const SECRET: RedisScript = new RedisScript(`
local kept = redis.call('GET', KEYS[1])
if kept then return kept end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]`);

/**
 * Adds an event to the events of a session. KEYS: the events, the session. ARGV: limits on the number and bytes of events, lifetime in milliseconds,
 * then stream, position and text of the event. A field of the session counts the bytes.
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
