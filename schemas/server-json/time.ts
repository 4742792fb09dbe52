const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** The length of a text such as `2026-01-31T12:00:00.000Z`. */
const UTC_LENGTH = 24;

/** An RFC 3339 date-time, converted to UTC and cut to milliseconds; undefined for any other text. */
export function toUtcTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DATE_TIME.test(value)) return undefined;
  const upper = value.toUpperCase();
  const time = new Date(upper);
  if (Number.isNaN(time.getTime())) return undefined;
  // `Date` reads 30 February as a day in March.
  const day = new Date(`${upper.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(upper.slice(0, 10))) return undefined;
  const utc = time.toISOString();
  // An offset may lead to a year without four digits; then the texts would not sort by time.
  return utc.length === UTC_LENGTH ? utc : undefined;
}
