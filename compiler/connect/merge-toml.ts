/** Appends a table to another program's TOML file; the existing text does not change. */

import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, stringify, TomlError } from 'smol-toml';
import { isObject } from '#schemas';
import { UsageError } from '../usage-error.ts';
import type { ClientEntry } from './clients.ts';

/**
 * @returns the text with the table; unchanged when it exists already
 * @throws UsageError when the name is taken, and for a file that cannot get another table
 */
export function mergeToml(file: string, text: string, { path: [table = '', name = ''], value }: ClientEntry): string {
  const before = parseTable(file, text);
  const tables = before[table];
  const existing = isObject(tables) && Object.hasOwn(tables, name) ? tables[name] : undefined;
  if (existing !== undefined) {
    if (isDeepStrictEqual({ ...(existing as object) }, value)) return text;
    throw new UsageError(
      `${file} has another table ${table}.${name}: give this one another --name, or change that one by hand`,
    );
  }
  const after =
    text +
    (text === '' || text.endsWith('\n') ? '' : '\n') +
    (text.trim() === '' ? '' : '\n') +
    formatToml({ path: [table, name], value });
  // If the servers are an inline table, no table can be added to them.
  const whole = { ...before, [table]: { ...(isObject(tables) ? tables : {}), [name]: value } };
  if (!isSame(file, after, whole))
    throw new UsageError(`${file} has ${table} in a form to which nothing can be added: add the table by hand`);
  return after;
}

/** Names of the subtables of a table; none when it is missing. */
export function listTomlNames(file: string, text: string, table: string): readonly string[] {
  const value = parseTable(file, text)[table];
  return isObject(value) ? Object.keys(value) : [];
}

export function formatToml({ path: [table = '', name = ''], value }: ClientEntry): string {
  // A parent without keys of its own needs no header.
  return stringify({ [table]: { [name]: value } })
    .replace(/^\[[^\].]+\]\n+(?=\[)/, '')
    .trimEnd()
    .concat('\n');
}

function isSame(file: string, text: string, value: object): boolean {
  try {
    return JSON.stringify(sortMembers(parseTable(file, text))) === JSON.stringify(sortMembers(value));
  } catch {
    return false;
  }
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isObject(value)) return typeof value === 'bigint' ? String(value) : value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sortMembers(value[key])]),
  );
}

function parseTable(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UsageError(`${file}:${error.line}:${error.column}: this is no TOML: put it right first`);
  }
}
