/** Copies a string into memory of its own. A substring keeps the whole string in memory, which may be a request of megabytes. */
export function detachString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
