/** Validates a JSON Schema against the table of keywords and collects all problems. */
import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { Path } from '../../source/source-document.ts';
import { findViolation } from './find-violation.ts';
import { type Form, findKeywords, IN_PLACE, type Keywords, TYPES } from './keywords.ts';
import { isAmbiguous } from './pattern-ambiguity.ts';
import { findReferenceProblems } from './references.ts';

export interface SchemaProblem {
  /**
   * - `invalid`: validators refuse it.
   * - `ignored`: an unknown keyword that resembles a known one.
   * - `reference`: `$ref` leads nowhere.
   * - `slow`: a pattern that some texts make very slow.
   * - `default`: a default that its own schema refuses.
   * - `unchecked`: written in a dialect that this module does not support.
   */
  readonly is: 'invalid' | 'ignored' | 'reference' | 'slow' | 'default' | 'unchecked';
  readonly path: Path;
  readonly at?: 'key';
  readonly message: string;
  readonly fix?: string;
}

/** One schema inside of another, or the whole. */
export interface PlacedSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: Path;
  /** The enclosing schema that applies this one to the same value. */
  readonly appliedBy?: Path;
}

interface Walk {
  readonly keywords: Keywords;
  readonly found: SchemaProblem[];
  readonly schemas: PlacedSchema[];
}

/** All problems of a schema. Paths start at the schema. Messages never repeat values. */
export function findSchemaProblems(schema: Readonly<Record<string, unknown>>): readonly SchemaProblem[] {
  const keywords = findKeywords(schema.$schema);
  if (keywords === undefined) {
    const message = 'the schema is of a dialect that is not known here; use JSON Schema 2020-12 or draft-07';
    return [{ is: 'unchecked', path: ['$schema'], message }];
  }
  const walk: Walk = { keywords, found: [], schemas: [] };
  visit(walk, schema, []);
  return [...walk.found, ...findReferenceProblems(walk.schemas)];
}

function visit(walk: Walk, schema: unknown, path: Path, appliedBy?: Path): void {
  const isBoolean = typeof schema === 'boolean';
  if (!isBoolean && !isObject(schema)) {
    walk.found.push({ is: 'invalid', path, message: 'a schema must be a mapping, or true or false' });
    return;
  }
  walk.schemas.push({ schema: isBoolean ? {} : schema, path, ...(appliedBy === undefined ? {} : { appliedBy }) });
  if (isBoolean) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const form = walk.keywords.get(keyword);
    if (form === undefined) noteUnknownKeyword(walk, keyword, schema, path);
    else visitKeyword(walk, form, keyword, value, [...path, keyword]);
  }
  const problem = schema.default === undefined ? undefined : findViolation(schema.default, schema);
  if (problem !== undefined) {
    walk.found.push({ is: 'default', path: [...path, 'default'], message: `the default does not fit: ${problem}` });
  }
}

/** Reports an unknown keyword that resembles a known one. Known words of up to three letters resemble too many others. */
function noteUnknownKeyword(walk: Walk, keyword: string, schema: object, path: Path): void {
  const missing = [...walk.keywords.keys()].filter(known => known.length > 3 && !Object.hasOwn(schema, known));
  const close = keyword.startsWith('x-') ? undefined : findNearest(keyword, missing);
  if (close === undefined) return;
  const message = `${JSON.stringify(keyword)} is no keyword of JSON Schema, so it has no effect`;
  walk.found.push({ is: 'ignored', at: 'key', path: [...path, keyword], message, fix: `did you mean "${close}"?` });
}

function visitKeyword(walk: Walk, form: Form, keyword: string, value: unknown, path: Path): void {
  const appliedBy = IN_PLACE.has(keyword) ? path.slice(0, -1) : undefined;
  const wrong = (expected: string, fix?: string) => {
    const message = `${keyword} must be ${expected}`;
    walk.found.push({ is: 'invalid', path, message, ...(fix === undefined ? {} : { fix }) });
  };
  switch (form) {
    case 'any':
      return;
    case 'boolean':
      if (typeof value !== 'boolean') wrong('true or false');
      return;
    case 'string':
      if (typeof value !== 'string') wrong('a string');
      return;
    case 'number':
      if (!isNumber(value)) wrong('a number');
      return;
    case 'positive':
      if (!isNumber(value) || value <= 0) wrong('a number above 0');
      return;
    case 'count':
      if (!isNumber(value) || value < 0 || (typeof value === 'number' && !Number.isInteger(value))) {
        wrong('a whole number from 0 on');
      }
      return;
    case 'list':
      if (!Array.isArray(value)) wrong('a list');
      else if (keyword === 'enum' && value.length === 0) wrong('a list with an item: nothing fits an empty one');
      return;
    case 'names':
      if (!isNames(value)) wrong('a list of distinct names');
      return;
    case 'type':
      if (!isType(value)) wrong(`one of ${TYPES.join(', ')}, or a list of them`);
      return;
    case 'pattern':
      if (typeof value !== 'string') wrong('a string');
      else visitPattern(walk, value, path);
      return;
    case 'map of names':
      if (!isObject(value) || !Object.values(value).every(isNames)) wrong('a mapping of names to lists of names');
      return;
    case 'schema':
      if (keyword === 'items' && Array.isArray(value)) wrong('one schema', 'schemas by position are prefixItems');
      else visit(walk, value, path, appliedBy);
      return;
    case 'schemas':
      if (!Array.isArray(value) || value.length === 0) wrong('a list of schemas, one or more');
      else for (const [index, item] of value.entries()) visit(walk, item, [...path, index], appliedBy);
      return;
    case 'items':
      if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(walk, item, [...path, index]);
      else visit(walk, value, path);
      return;
    case 'map of schemas':
    case 'patterns':
    case 'dependencies':
      if (!isObject(value)) {
        wrong('a mapping of names to schemas');
        return;
      }
      for (const [name, member] of Object.entries(value)) {
        if (form === 'patterns') visitPattern(walk, name, [...path, name], 'key');
        if (form !== 'dependencies' || !isNames(member)) visit(walk, member, [...path, name], appliedBy);
      }
  }
}

function visitPattern(walk: Walk, pattern: string, path: Path, at?: 'key'): void {
  const location = { path, ...(at === undefined ? {} : { at }) };
  if (!isPattern(pattern)) {
    walk.found.push({ is: 'invalid', ...location, message: 'this is not a regular expression' });
  } else if (isAmbiguous(pattern)) {
    const message = 'the pattern can match the same text in very many ways: each additional character doubles the time';
    walk.found.push({ is: 'slow', ...location, message });
  }
}

/** Whether a text is a valid pattern. It is compiled as validators do: with Unicode if possible. */
function isPattern(pattern: string): boolean {
  return ['u', ''].some(flags => {
    try {
      new RegExp(pattern, flags);
      return true;
    } catch {
      return false;
    }
  });
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isNames(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.some(name => typeof name !== 'string')) return false;
  return new Set(value).size === value.length;
}

function isType(value: unknown): boolean {
  if (!Array.isArray(value)) return TYPES.includes(value as string);
  return value.length > 0 && new Set(value).size === value.length && value.every(type => TYPES.includes(type));
}
