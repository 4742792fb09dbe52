/** Adds an entry to another program's JSON file. Comments, order and values stay; the layout of the previous entry may change. */

import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isObject } from '#schemas';
import { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';
import type { ClientEntry } from './clients.ts';
import { EntryExistsError } from './entry-exists-error.ts';

const OPTIONS = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: true };

/**
 * @param force replace a different entry with that name
 * @returns the text with the entry; unchanged when it exists already
 * @throws EntryExistsError when the name is taken, UsageError for a file that is not JSON
 */
export function mergeJson(file: string, text: string, entry: ClientEntry, force: boolean): string {
  const before = parseJson(file, text);
  const [table = '', name = ''] = entry.path;
  const existing =
    isObject(before) && isObject(before[table]) && Object.hasOwn(before[table], name) ? before[table][name] : undefined;
  if (existing !== undefined) {
    if (isDeepStrictEqual(existing, entry.value)) return text;
    if (!force) throw new EntryExistsError(file, name);
  }
  return editText(text, [table, name], entry.value);
}

/** Adds an item to a list, unless the list has one with the same `id`. */
export function mergeItem(file: string, text: string, { path: [list = ''], value }: ClientEntry): string {
  const before = parseJson(file, text);
  const items = isObject(before) && Array.isArray(before[list]) ? before[list] : [];
  const { id } = value as { id?: unknown };
  if (items.some(item => isObject(item) && item.id === id)) return text;
  return editText(text, [list, items.length], value);
}

/** Names of the members of an object; none when it is missing. */
export function listJsonNames(file: string, text: string, table: string): readonly string[] {
  const value = parseJson(file, text);
  return isObject(value) && isObject(value[table]) ? Object.keys(value[table]) : [];
}

function editText(text: string, path: (string | number)[], value: object): string {
  const start = text.trim() === '' ? '{}\n' : text;
  const edits = modify(start, path, value, {
    formattingOptions: detectFormatting(start),
    isArrayInsertion: typeof path.at(-1) === 'number',
  });
  const after = applyEdits(start, edits);
  if (!isDeepStrictEqual(getValueAt(after, path), value)) throw new Error('the entry is not where it was put');
  return after;
}

function getValueAt(text: string, path: readonly (string | number)[]): unknown {
  const value: unknown = parse(text, [], OPTIONS);
  return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], value);
}

function parseJson(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, OPTIONS);
  const [first] = errors;
  if (first !== undefined) {
    const { line, column } = new SourceText(file, text).position(first.offset);
    throw new UsageError(
      `${file}:${line}:${column}: this is no JSON (${printParseErrorCode(first.error)}): put it right first`,
    );
  }
  if (value !== undefined && !isObject(value)) throw new UsageError(`${file} is no JSON object: put it right first`);
  return value;
}

/** Detects the file's own indentation. */
function detectFormatting(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
