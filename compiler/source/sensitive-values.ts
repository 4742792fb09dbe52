import type { StructuralSchema } from '#schemas';
import { isObject } from '#schemas';
import { KINDS } from './kinds.ts';
import { programSecrets } from './program-secrets.ts';
import { isSecretHeader } from './secret-name.ts';
import type { Path } from './source-document.ts';

/** Where the headers stand that an entry or a proxy adds. */
const PLAIN_HEADERS = ['headerForward', 'addPlaintextHeaders'];

/**
 * Where a spec holds secrets in the clear: texts, not empty, where the schema says `x-lintel-sensitive`, headers that are secrets by
 * their names, and variables and arguments of programs by their names or forms. Takes any value, structurally valid or not.
 *
 * @returns paths that start with `spec`
 */
export function sensitiveValues(kind: string, spec: unknown): Path[] {
  const fields = (SENSITIVE.get(kind) ?? []).flatMap(pattern => matches(spec, pattern, ['spec']));
  fields.push(...programSecrets(kind, spec));
  if (kind !== 'MCPServerEntry' && kind !== 'MCPRemoteProxy') return fields;
  const headers = matches(spec, [...PLAIN_HEADERS, '*'], ['spec']);
  return [...fields, ...headers.filter(path => isSecretHeader(String(path.at(-1))))];
}

/** Is it the value of a header, not of a field? */
export function isHeaderPath(path: Path): boolean {
  return path.at(-2) === PLAIN_HEADERS.at(-1);
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
