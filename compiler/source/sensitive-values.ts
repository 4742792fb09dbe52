import type { StructuralSchema } from '#schemas';
import { isObject } from '#schemas';
import { KINDS } from './kinds.ts';
import { holdsKnownForm } from './known-credentials.ts';
import { isArgumentPath, isVariablePath, programSecrets } from './program-secrets.ts';
import { isSecretHeader } from './secret-name.ts';
import { findSecretParameter } from './secret-parameter.ts';
import type { Path } from './source-document.ts';

/** Where the headers stand that an entry or a proxy adds. */
const PLAIN_HEADERS = ['headerForward', 'addPlaintextHeaders'];

const WITH_HEADERS: ReadonlySet<string> = new Set(['MCPServerEntry', 'MCPRemoteProxy']);

/** What a value with a secret is for what reads it. */
export type SensitiveRole = 'field' | 'header' | 'variable' | 'argument' | 'text';

export interface SensitiveValue {
  /** It starts with `spec`. */
  readonly path: Path;
  readonly role: SensitiveRole;
  readonly text: string;
}

/** Gives the members of a mapping, or the items of a list. */
type EntriesOf = (value: object) => [name: string, member: unknown][];

/**
 * Where a spec holds secrets in the clear: texts, not empty, where the schema says `x-lintel-sensitive`, headers that are secrets by
 * their names, variables and arguments of programs by their names or forms, and what `tellingTexts` gives. Takes any value, structurally
 * valid or not.
 */
export function sensitiveValues(kind: string, spec: unknown, entriesOf: EntriesOf = Object.entries): SensitiveValue[] {
  const fields = patternsOf(kind).flatMap(pattern => matches(spec, pattern, ['spec']));
  const headers = WITH_HEADERS.has(kind)
    ? matches(spec, [...PLAIN_HEADERS, '*'], ['spec']).filter(path => isSecretHeader(String(path.at(-1))))
    : [];
  const values = [...fields, ...programSecrets(kind, spec), ...headers].map(path => ({
    path,
    role: roleOf(kind, path),
    text: textAt(spec, path),
  }));
  const all = [...values, ...tellingTexts(kind, spec, entriesOf)];
  return [...new Map(all.map(value => [JSON.stringify(value.path), value])).values()];
}

/** Texts that tell by themselves that they hold a secret: credentials of known services, and URLs with a secret in their query. */
export function tellingTexts(kind: string, spec: unknown, entriesOf: EntriesOf = Object.entries): SensitiveValue[] {
  const found: SensitiveValue[] = [];
  const look = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      if (holdsKnownForm(value) || findSecretParameter(value) !== undefined)
        found.push({ path, role: roleOf(kind, path), text: value });
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, member] of entriesOf(value)) look(member, [...path, isList ? Number(name) : name]);
    }
  };
  look(spec, ['spec']);
  return found;
}

function roleOf(kind: string, path: Path): SensitiveRole {
  if (patternsOf(kind).some(pattern => isMatch(pattern, path.slice(1)))) return 'field';
  if (isArgumentPath(path)) return 'argument';
  if (isVariablePath(path)) return 'variable';
  return isHeaderPath(path) ? 'header' : 'text';
}

function isMatch(pattern: readonly string[], path: Path): boolean {
  return pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index]);
}

/** Is it the value of a header, not of a field? */
function isHeaderPath(path: Path): boolean {
  return path.length === 4 && PLAIN_HEADERS.every((step, index) => path[index + 1] === step);
}

function textAt(spec: unknown, path: Path): string {
  return String(path.slice(1).reduce((holder, step) => (holder as Record<string | number, unknown>)[step], spec));
}

/** `*` stands for every member of a map or a list. */
function sensitivePatterns(schema: StructuralSchema): string[][] {
  if (schema['x-lintel-sensitive'] === true) return [[]];
  const below = schema.items ?? schema.additionalProperties;
  return [
    ...(below === undefined ? [] : sensitivePatterns(below).map(path => ['*', ...path])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      sensitivePatterns(field).map(path => [name, ...path]),
    ),
  ];
}

const SENSITIVE: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  [...KINDS]
    .map(([kind, { spec }]) => [kind, sensitivePatterns(spec)] as const)
    .filter(([, patterns]) => patterns.length > 0),
);

function patternsOf(kind: string): readonly (readonly string[])[] {
  return SENSITIVE.get(kind) ?? [];
}

function matches(value: unknown, pattern: readonly string[], path: Path): Path[] {
  const [step, ...rest] = pattern;
  if (step === undefined) return typeof value === 'string' && value !== '' ? [path] : [];
  if (Array.isArray(value)) {
    return step === '*' ? value.flatMap((item, index) => matches(item, rest, [...path, index])) : [];
  }
  if (!isObject(value)) return [];
  if (step === '*') return Object.entries(value).flatMap(([key, member]) => matches(member, rest, [...path, key]));
  return Object.hasOwn(value, step) ? matches(value[step], rest, [...path, step]) : [];
}
