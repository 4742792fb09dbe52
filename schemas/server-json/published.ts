/**
 * The published versions of `server.json`, by the date in their URL. An entry is checked against the version that it names. But the API lists
 * all entries in the newest version, so values that the newest version cannot express are refused in older versions too.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/CHANGELOG.md
 */

import { toUtcTime } from './time.ts';

export type SchemaDate = '2025-09-16' | '2025-09-29' | '2025-10-11' | '2025-10-17' | '2025-12-11';

/** The versions of the schema that Lintel knows, the newest first. */
export const SCHEMA_DATES: readonly SchemaDate[] = [
  '2025-12-11',
  '2025-10-17',
  '2025-10-11',
  '2025-09-29',
  '2025-09-16',
];

/** The version of the schema that an entry without `$schema` must satisfy. */
export const DEFAULT_SCHEMA_DATE: SchemaDate = '2025-12-11';

/** The last version in which an entry states its own status. */
export const LAST_WITH_STATUS: SchemaDate = '2025-09-16';

/** The first version, whose members have snake-case names. */
const SNAKE_CASE_DATE = '2025-07-09';

export function formatSchemaUrl(date: string): string {
  return `https://static.modelcontextprotocol.io/schemas/${date}/server.schema.json`;
}

const DATE_BY_URL: ReadonlyMap<unknown, SchemaDate> = new Map([
  ...SCHEMA_DATES.map(date => [formatSchemaUrl(date), date] as const),
  [undefined, DEFAULT_SCHEMA_DATE],
]);

/** The version of an entry's `$schema`; undefined for an unknown one. */
export function parseSchemaDate($schema: unknown): SchemaDate | undefined {
  return DATE_BY_URL.get($schema);
}

/** Whether the URL is that of a version newer than all known ones. */
export function isNewerSchema($schema: unknown): boolean {
  if (typeof $schema !== 'string') return false;
  const date = /\d{4}-\d\d-\d\d/.exec($schema)?.[0] ?? '';
  return (
    date > DEFAULT_SCHEMA_DATE && $schema === formatSchemaUrl(date) && toUtcTime(`${date}T00:00:00Z`) !== undefined
  );
}

/** The violation for an unknown `$schema`; the end of a sentence about it. */
export function formatSchemaMessage($schema: unknown): string {
  if ($schema === formatSchemaUrl(SNAKE_CASE_DATE))
    return `is the version of ${SNAKE_CASE_DATE}, whose members were named in another way: name them in camelCase and write ${formatSchemaUrl(DEFAULT_SCHEMA_DATE)}`;
  return `must be the URL of a published version: ${formatSchemaUrl('<date>')} with ${SCHEMA_DATES.join(', ')}`;
}
