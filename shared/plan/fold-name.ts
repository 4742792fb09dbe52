/**
 * Folds names that a case-insensitive parser treats as equal. It follows Go: upper case folds the long s (U+017F), lower case folds the
 * Kelvin sign. Lower case comes first, because the capital sharp s (U+1E9E) has the small sharp s as its lower case, whose upper case is
 * two letters.
 */
export function foldName(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}
