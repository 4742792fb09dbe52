import type { StructuralSchema } from '#schemas';
import { isObject } from '#schemas';
import { KINDS } from './kinds.ts';
import { holdsKnownForm } from './known-credentials.ts';
import { isArgumentPath, isVariablePath, listProgramSecrets } from './program-secrets.ts';
import { isSecretHeader } from './secret-name.ts';
import { findSecretParameter } from './secret-parameter.ts';
import type { Path } from './source-document.ts';

/** Paths of plain headers of an entry or a proxy. */
const PLAIN_HEADERS = ['headerForward', 'addPlaintextHeaders'];

const WITH_HEADERS: ReadonlySet<string> = new Set(['MCPServerEntry', 'MCPRemoteProxy']);

/** Where a secret value stands. Findings name a field, a header, a variable or an argument in different words. */
export type SensitiveRole = 'field' | 'header' | 'variable' | 'argument' | 'text';

export interface SensitiveValue {
  /** Starts with `spec`. */
  readonly path: Path;
  readonly role: SensitiveRole;
  readonly text: string;
}

/** Returns the members of a mapping or the items of a list. */
type EntriesOf = (value: object) => [name: string, member: unknown][];

/**
 * The plain-text secrets of a spec: non-empty texts that the schema marks `x-lintel-sensitive`, headers with secret names, program variables and
 * arguments with secret names or forms, and the results of `listRevealingTexts`. Accepts any value, structurally valid or not.
 */
export function listSensitiveValues(
  kind: string,
  spec: unknown,
  entriesOf: EntriesOf = Object.entries,
): SensitiveValue[] {
  const fields = getPatterns(kind).flatMap(pattern => matches(spec, pattern, ['spec']));
  const headers = WITH_HEADERS.has(kind)
    ? matches(spec, [...PLAIN_HEADERS, '*'], ['spec']).filter(path => isSecretHeader(String(path.at(-1))))
    : [];
  const values = [...fields, ...listProgramSecrets(kind, spec), ...headers].map(path => ({
    path,
    role: getRole(kind, path),
    text: getTextAt(spec, path),
  }));
  const all = [...values, ...listRevealingTexts(kind, spec, entriesOf)];
  return [...new Map(all.map(value => [JSON.stringify(value.path), value])).values()];
}

/** Texts that are recognizable as secret: credentials of known services, and URLs with a secret query parameter. */
export function listRevealingTexts(
  kind: string,
  spec: unknown,
  entriesOf: EntriesOf = Object.entries,
): SensitiveValue[] {
  const found: SensitiveValue[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      if (holdsKnownForm(value) || findSecretParameter(value) !== undefined)
        found.push({ path, role: getRole(kind, path), text: value });
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, member] of entriesOf(value)) visit(member, [...path, isList ? Number(name) : name]);
    }
  };
  visit(spec, ['spec']);
  return found;
}

function getRole(kind: string, path: Path): SensitiveRole {
  if (getPatterns(kind).some(pattern => isMatch(pattern, path.slice(1)))) return 'field';
  if (isArgumentPath(path)) return 'argument';
  if (isVariablePath(path)) return 'variable';
  return isHeaderPath(path) ? 'header' : 'text';
}

function isMatch(pattern: readonly string[], path: Path): boolean {
  return pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index]);
}

/** Whether the path is that of a header's value, as opposed to a field. */
function isHeaderPath(path: Path): boolean {
  return path.length === 4 && PLAIN_HEADERS.every((step, index) => path[index + 1] === step);
}

function getTextAt(spec: unknown, path: Path): string {
  return String(path.slice(1).reduce((holder, step) => (holder as Record<string | number, unknown>)[step], spec));
}

/** `*` stands for every member of a map or a list. */
function listSensitivePatterns(schema: StructuralSchema): string[][] {
  if (schema['x-lintel-sensitive'] === true) return [[]];
  const below = schema.items ?? schema.additionalProperties;
  return [
    ...(below === undefined ? [] : listSensitivePatterns(below).map(path => ['*', ...path])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      listSensitivePatterns(field).map(path => [name, ...path]),
    ),
  ];
}

const SENSITIVE: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  [...KINDS]
    .map(([kind, { spec }]) => [kind, listSensitivePatterns(spec)] as const)
    .filter(([, patterns]) => patterns.length > 0),
);

function getPatterns(kind: string): readonly (readonly string[])[] {
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
