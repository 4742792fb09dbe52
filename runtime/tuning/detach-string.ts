import { IS_TUNED } from './is-tuned.ts';

/**
 * Copies a string into separate memory; for a part of a message that outlives the message. V8 represents a substring as a pointer into the whole
 * string, so a name from a message of megabytes would keep the whole message in memory.
 */
export function detachString(text: string): string {
  // V8 copies short substrings anyway.
  if (text.length < 13 || !IS_TUNED) return text;
  return Buffer.from(text).toString();
}
