/** Parses the text behind a suppression's colon: `the reason (owner: @team, expires: 2027-01-31)`. */
import { findNearest } from '#shared/util';

export interface Reason {
  /** As written, including details. */
  readonly text: string;
  /** The last day of the suppression, such as `2027-01-31`. */
  readonly expires?: string;
}

const DETAILS = ['owner', 'expires'];

/** Parentheses at the end contain details if one of their parts looks like `owner: …` or `expires: …`. Otherwise they belong to the reason. */
export function parseReason(commentText: string): Reason | { readonly problem: string } {
  const text = commentText.trim();
  const [, before = '', inside] = /^(.*)\(([^()]*)\)$/s.exec(text) ?? [];
  const parts = inside?.split(',').map(part => part.trim()) ?? [];
  const hasDetails = parts.some(part => findDetail(part) !== undefined);
  if ((hasDetails ? before : text).trim() === '') return { problem: 'gives no reason: write it after a colon' };
  if (!hasDetails) return { text };
  let expires: string | undefined;
  for (const part of parts) {
    const [, key = '', value = ''] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    if (!DETAILS.includes(key.trim())) return { problem: formatUnknownDetail(part) };
    if (value.trim() === '') return { problem: `has nothing behind "${key.trim()}:"` };
    if (key.trim() === 'expires') expires = value.trim();
  }
  if (expires === undefined) return { text };
  return isDay(expires) ? { text, expires } : { problem: `expires on no day: write it as in "expires: 2027-01-31"` };
}

function findDetail(part: string): string | undefined {
  const [, word = ''] = /^(\w+)\s*:/.exec(part) ?? [];
  return findNearest(word, DETAILS);
}

function formatUnknownDetail(part: string): string {
  const near = findDetail(part);
  const meant = near === undefined ? `there are ${DETAILS.join(' and ')}` : `did you mean "${near}"?`;
  return `has a detail that is not known: ${meant}`;
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // JavaScript accepts some invalid dates, such as 31 April, as a day of the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
