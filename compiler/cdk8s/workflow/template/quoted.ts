/** A text as a literal of templates: escapes of JSON are escapes of Go, which knows no lone surrogates. */
export function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed());
}
