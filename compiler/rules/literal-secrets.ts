import type { MCPServerEntrySpec, StructuralSchema } from '#schemas';
import { KINDS } from '../check/kinds.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { pointerOf } from '../diagnostics/pointer.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isMapping } from '../source/is-mapping.ts';
import type { Path } from '../source/source-document.ts';

/** Headers whose values are secrets by custom. */
const SECRET_HEADER = /^(?:authorization|cookie|.*(?:api-?key|token|secret|password).*)$/i;

/** Secrets in the clear are in the repository for good, and in everything that is made from it. */
export function literalSecrets(resource: Resource): Diagnostic[] {
  const fields = (SENSITIVE.get(resource.kind) ?? []).flatMap(pattern => matches(resource.spec, pattern, ['spec']));
  return [
    ...fields.map(path => {
      const field = String(path.at(-1));
      return report(resource, path, `${field} holds a secret in the clear`, `use ${field}Env and keep the value out`);
    }),
    ...secretHeaders(resource),
  ];
}

function secretHeaders(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPServerEntry' && resource.kind !== 'MCPRemoteProxy') return [];
  const { headerForward } = resource.spec as Pick<MCPServerEntrySpec, 'headerForward'>;
  return Object.keys(headerForward?.addPlaintextHeaders ?? {})
    .filter(name => SECRET_HEADER.test(name))
    .map(name => {
      const path = ['spec', 'headerForward', 'addPlaintextHeaders', name];
      return report(
        resource,
        path,
        `the header "${name}" looks like a secret in the clear`,
        'use addHeadersFromSecret',
      );
    });
}

/** The picture of the finding shows the line it is at, so it is at the key above the one with the secret. */
function report(resource: Resource, path: Path, message: string, fix: string): Diagnostic {
  const found = diagnose(resource.document, 'LNT6001', path.slice(0, -1), message, { at: 'key', fix });
  return { ...found, pointer: pointerOf(path) };
}

/** Where a schema says `x-lintel-sensitive`; `*` stands for every member of a map or a list. */
function sensitivePaths(schema: StructuralSchema): string[][] {
  if (schema['x-lintel-sensitive'] === true) return [[]];
  const below = schema.items ?? schema.additionalProperties;
  return [
    ...(below === undefined ? [] : sensitivePaths(below).map(path => ['*', ...path])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      sensitivePaths(field).map(path => [name, ...path]),
    ),
  ];
}

const SENSITIVE: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  [...KINDS].map(([kind, { spec }]) => [kind, sensitivePaths(spec)] as const).filter(([, paths]) => paths.length > 0),
);

/** The paths of texts, not empty, that a pattern matches. */
function matches(value: unknown, pattern: readonly string[], path: Path): Path[] {
  const [step, ...rest] = pattern;
  if (step === undefined) return typeof value === 'string' && value !== '' ? [path] : [];
  if (Array.isArray(value)) {
    return step === '*' ? value.flatMap((item, index) => matches(item, rest, [...path, index])) : [];
  }
  if (!isMapping(value)) return [];
  if (step === '*') return Object.entries(value).flatMap(([key, member]) => matches(member, rest, [...path, key]));
  return Object.hasOwn(value, step) ? matches(value[step], rest, [...path, step]) : [];
}
