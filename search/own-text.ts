/**
 * The same text in memory of its own: a part of a text keeps the whole one in memory, which may be a request of megabytes, for as long as
 * the part is kept.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
