/** Wording that several rules share. */

/** Maximum number of names in a message; the rest is counted. */
const MAX_NAMES = 5;

/** `"a", "b" and 3 more`. */
export function formatQuotedList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(name => `"${name}"`);
  const remaining = names.length - shown.length;
  if (remaining > 0) return `${shown.join(', ')} and ${remaining} more`;
  const last = shown.pop();
  return shown.length === 0 ? (last ?? 'nothing') : `${shown.join(', ')} and ${last}`;
}

/** A fix that suggests the nearest choice, if there is one. */
export function suggestFix(close: string | undefined): { readonly fix?: string } {
  return close === undefined ? {} : { fix: `did you mean "${close}"?` };
}

/** Does the same as `suggestFix`; without a similar choice, it lists the choices. */
export function formatChoices(
  close: string | undefined,
  what: string,
  names: readonly string[],
): { readonly fix?: string } {
  return close === undefined && names.length > 0 ? { fix: `${what}: ${formatQuotedList(names)}` } : suggestFix(close);
}
