import type { CodePage } from './read-code.ts';

/**
 * `test/pins/diagnostic-codes.json`: every code that was ever used, with its severity and name. Adds the new ones.
 *
 * @param before the text of the list
 * @throws Error for a code of the list that has another severity or name, or no page
 */
export function formatPinnedCodes(before: string, pages: readonly CodePage[]): string {
  const current = new Map(pages.map(([code, { severity, name }]) => [code, `${severity} ${name}`]));
  for (const [code, pinned] of Object.entries(JSON.parse(before) as Record<string, string>)) {
    const now = current.get(code);
    if (now === pinned) continue;
    throw new Error(
      `${code} was "${pinned}" and ${now === undefined ? 'has no page' : `is "${now}"`}: codes are permanent; if the change is intended, edit test/pins/diagnostic-codes.json`,
    );
  }
  return `${JSON.stringify(Object.fromEntries(current), undefined, 2)}\n`;
}
