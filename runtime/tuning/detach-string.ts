/**
 * Copies a string into separate memory; for a part of a message that outlives the message. V8 represents a substring as a pointer into the whole
 * string, so a name from a message of megabytes would keep the whole message in memory.
 */
export function detachString(text: string): string {
  if (text.length < 13) return text; // V8 copies short substrings anyway.
  return Buffer.from(text).toString();
}
