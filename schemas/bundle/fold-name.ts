/**
 * One spelling for names that a parser without regard to case takes for one. Case folding as Go does it: upper case maps the long s
 * (U+017F), lower case the Kelvin sign. The capital sharp s (U+1E9E) has the small one as its lower case, and that one has two letters as its
 * upper case: so lower case is first.
 */
export function foldName(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}
