/**
 * Lua scripts of the store. All keys of one script share a hash tag. The first command that writes must be one that Redis refuses when its memory
 * is full: after any other write, Redis would accept all further commands of the script.
 */
import { RedisScript } from '../../redis/script.ts';

/**
 * Stores an entry. KEYS: the entry, and its group if it has one. ARGV: the text, its lifetime in milliseconds (0: forever), the current time and
 * the time of the entry's expiry in milliseconds, and the entry's name as a member of the group. A group lives as long as its members, and drops
 * expired members.
 */
export const PUT: RedisScript = new RedisScript(`
local life = tonumber(ARGV[2])
if life > 0 then redis.call('SET', KEYS[1], ARGV[1], 'PX', life) else redis.call('SET', KEYS[1], ARGV[1]) end
local group = KEYS[2]
if not group then return 1 end
local left = redis.call('PTTL', group)
redis.call('ZREMRANGEBYSCORE', group, '-inf', ARGV[3])
redis.call('ZADD', group, ARGV[4], ARGV[5])
if life == 0 then redis.call('PERSIST', group)
elseif left == -2 or (left >= 0 and left < life) then redis.call('PEXPIRE', group, life) end
return 1`);

/** Deletes an entry. KEYS: the entry. Returns its text; nil when missing. */
export const TAKE: RedisScript = new RedisScript(`
local text = redis.call('GET', KEYS[1])
if text then redis.call('DEL', KEYS[1]) end
return text`);

/**
 * Counts a use of an entry. KEYS: the entry. ARGV: the time of this use, and the time of the first use as the caller knows it: if the
 * entry has the same time, the count restarts, and this use is the first. Returns the number of uses and the time of the first use; nil when the
 * entry is missing.
 */
export const USE: RedisScript = new RedisScript(`
local text = redis.call('GET', KEYS[1])
if not text then return false end
local times, first, rest = string.match(text, '^(%d+)\\n(%d+)\\n(.*)$')
times = times + 1
if times == 1 or first == ARGV[2] then times, first = 1, ARGV[1] end
redis.call('SET', KEYS[1], times .. '\\n' .. first .. '\\n' .. rest, 'KEEPTTL')
return { tostring(times), first }`);

/** Extends lifetimes. KEYS: entries, and their group if they have one. ARGV: lifetime and time of expiry in milliseconds, then entry names. */
export const TOUCH: RedisScript = new RedisScript(`
local places = #ARGV - 2
local group = KEYS[places + 1]
for index = 1, places do
  if redis.call('PEXPIRE', KEYS[index], ARGV[1]) == 1 and group then redis.call('ZADD', group, ARGV[2], ARGV[index + 2]) end
end
if group then redis.call('PEXPIRE', group, ARGV[1]) end
return 1`);

/** Releases a lock that ARGV[1] still holds. KEYS: the lock. */
export const RELEASE: RedisScript = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`);
