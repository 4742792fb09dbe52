/** `generated/kinds.json`, `configs.json` and their like: what the compiler loads at run time in place of TypeBox. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import type { ConfigDefinition } from '../registry-config/define.ts';
import { GENERATED } from './header.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';

/** One kind of `kinds.json`: its names and its trees with the `x-kubernetes-*` and `x-lintel-*` keywords. */
export interface InternalKind {
  readonly $comment: string;
  readonly kind: string;
  readonly plural: string;
  readonly specRequired: boolean;
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
}

/** The internal form of one kind. @throws Error naming the field when a schema is not structural */
export function internalKind(kind: KindDefinition): InternalKind {
  return {
    $comment: GENERATED,
    kind: kind.kind,
    plural: kind.plural,
    specRequired: kind.specRequired,
    spec: toStructural(kind.spec, `${kind.kind}.spec`),
    status: toStructural(kind.status, `${kind.kind}.status`),
  };
}

/** All kinds by name, in the given order: `{ MCPGroup: { kind, plural, specRequired, spec, status }, ... }`. */
export function internalSchemas(kinds: readonly KindDefinition[]): Record<string, InternalKind> {
  return Object.fromEntries(kinds.map(kind => [kind.kind, internalKind(kind)]));
}

/** The schemas of configuration files by name. @throws Error naming the field when a schema is not structural */
export function internalConfigs(configs: readonly ConfigDefinition[]): Record<string, object> {
  return Object.fromEntries(
    configs.map(({ name, schema }) => [name, { $comment: GENERATED, ...toStructural(schema, name) }]),
  );
}

/** The internal form of a file that is no object: `{ $comment, schema }`. @throws Error as for a kind */
export function internalFile({ name, schema }: FileDefinition): Pick<InternalKind, '$comment'> & {
  readonly schema: StructuralSchema;
} {
  return { $comment: GENERATED, schema: toStructural(schema, name) };
}
