/** Text in which upper and lower case are the same, in any script. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // Lower-casing looks at the place of a sigma within its word, and a term is only a part of one.
  return lower.includes('ς') ? lower.replaceAll('ς', 'σ') : lower;
}
