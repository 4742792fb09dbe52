/** A string as a template literal. JSON's escapes are also Go's, except that Go has no unpaired surrogates. */
export function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed());
}
