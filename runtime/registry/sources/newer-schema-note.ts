import { DEFAULT_SCHEMA_DATE } from '#schemas';

/** The note for operators about servers whose `$schema` is newer than the schemas that Lintel knows; empty if there are none. */
export function formatNewerSchemaNote(newer: number, servers: number): string {
  if (newer === 0) return '';
  return `${countText(newer, servers)} of a newer $schema than ${DEFAULT_SCHEMA_DATE}; the registry lists servers that are valid in that version`;
}

export function countText(count: number, servers: number): string {
  return `${count} of ${servers} servers ${count === 1 ? 'is' : 'are'}`;
}
