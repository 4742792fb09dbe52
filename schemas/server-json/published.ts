/**
 * The published versions of `server.json`, by the date in their URL. An entry is judged by the one it names, but every entry
 * that passes is listed by an API whose contract is the newest one, so what that could not say is refused for older ones too.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/CHANGELOG.md
 */

import { utcTime } from './time.ts';

export type SchemaDate = '2025-09-16' | '2025-09-29' | '2025-10-11' | '2025-10-17' | '2025-12-11';

/** Newest first. */
export const SCHEMA_DATES: readonly SchemaDate[] = [
  '2025-12-11',
  '2025-10-17',
  '2025-10-11',
  '2025-09-29',
  '2025-09-16',
];

/** What an entry without `$schema` is judged by. */
export const DEFAULT_SCHEMA_DATE: SchemaDate = '2025-12-11';

/** The last one whose entries say themselves whether they are still active. */
export const LAST_WITH_STATUS: SchemaDate = '2025-09-16';

/** The first version of all, whose members have other names. */
const SNAKE_CASE_DATE = '2025-07-09';

export function schemaUrl(date: string): string {
  return `https://static.modelcontextprotocol.io/schemas/${date}/server.schema.json`;
}

const DATE_BY_URL: ReadonlyMap<unknown, SchemaDate> = new Map([
  ...SCHEMA_DATES.map(date => [schemaUrl(date), date] as const),
  [undefined, DEFAULT_SCHEMA_DATE],
]);

/** Which version an entry is judged by; undefined for a `$schema` that is none of them. */
export function schemaDate($schema: unknown): SchemaDate | undefined {
  return DATE_BY_URL.get($schema);
}

/** Is it the URL of a version that was published after the newest one that is known here? */
export function isNewerSchema($schema: unknown): boolean {
  if (typeof $schema !== 'string') return false;
  const date = /\d{4}-\d\d-\d\d/.exec($schema)?.[0] ?? '';
  return date > DEFAULT_SCHEMA_DATE && $schema === schemaUrl(date) && utcTime(`${date}T00:00:00Z`) !== undefined;
}

/** What is wrong with a `$schema` that stands for no version that is known; the end of a sentence about it. */
export function schemaMessage($schema: unknown): string {
  if ($schema === schemaUrl(SNAKE_CASE_DATE))
    return `is the version of ${SNAKE_CASE_DATE}, whose members were named in another way: name them in camelCase and write ${schemaUrl(DEFAULT_SCHEMA_DATE)}`;
  return `must be the URL of a published version: ${schemaUrl('<date>')} with ${SCHEMA_DATES.join(', ')}`;
}
