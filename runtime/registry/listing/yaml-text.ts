/** Writes JSON values as YAML, in block style and with quoted strings, so that no YAML parser takes a string for another type. */

export type YamlValue =
  | string
  | number
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [member: string]: YamlValue };

const INDENT = '  ';

/** The text of a document, which ends with a line feed. Values are those of JSON; numbers are finite. */
export function formatYaml(value: YamlValue): string {
  return `${formatLines(value, '').join('\n')}\n`;
}

/** The lines of a value that begins on a new line. */
function formatLines(value: YamlValue, indent: string): string[] {
  const entries = listEntries(value);
  if (entries === undefined) return [`${indent}${formatScalar(value)}`];
  return entries.flatMap(([lead, member]) => {
    const below = listEntries(member);
    if (below === undefined) return [`${indent}${lead} ${formatScalar(member)}`];
    return [`${indent}${lead}`, ...formatLines(member, indent + INDENT)];
  });
}

/** The text before each member, and the member; undefined for a value that is written on one line. */
function listEntries(value: YamlValue): (readonly [string, YamlValue])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Array.isArray(value)
    ? value.map((item: YamlValue) => ['-', item] as const)
    : Object.entries(value).map(([name, member]) => [`${quoteText(name)}:`, member] as const);
  return entries.length === 0 ? undefined : entries;
}

function formatScalar(value: YamlValue): string {
  return typeof value === 'string' ? quoteText(value) : JSON.stringify(value);
}

/** In double quotes, as in JSON: `on`, `1.0` and `2026-01-01` stay strings. */
function quoteText(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/gu, escapeCharacter);
}

/** Escapes a character that is not ASCII (YAML 1.2, section 5.7), because some YAML parsers change or refuse such characters. */
function escapeCharacter(character: string): string {
  const point = (character.codePointAt(0) as number).toString(16);
  return point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`;
}
