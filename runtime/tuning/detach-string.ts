/**
 * Copies a string into memory of its own. V8 represents a substring as a pointer into the whole string, so a name taken from a message of
 * megabytes keeps that whole message in memory. For strings that outlive their message.
 */
export function detachString(text: string): string {
  if (text.length < 13) return text; // V8 copies short substrings anyway.
  return Buffer.from(text).toString();
}
