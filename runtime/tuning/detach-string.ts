/**
 * The same text in memory of its own. V8 makes a part of a text by pointing into the whole, so code that keeps a name out of a
 * message of megabytes keeps the message. For whatever outlives its message.
 */
export function detachString(text: string): string {
  if (text.length < 13) return text; // V8 copies these.
  return Buffer.from(text).toString();
}
