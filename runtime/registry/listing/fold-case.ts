/** Text in which upper and lower case are equal, in any script. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // Lower-casing depends on the position of a sigma within its word, and a term may be only a part of a word.
  return lower.includes('ς') ? lower.replaceAll('ς', 'σ') : lower;
}
