/** Folds case, so that texts can be compared without regard to upper and lower case, in any script. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // A sigma at the end of a word has another lower case than elsewhere. A search term may end within a word, so both become the same letter.
  return lower.includes('ς') ? lower.replaceAll('ς', 'σ') : lower;
}
