/** `generated/kinds.json` and `generated/files.json`: what the compiler loads at run time instead of TypeBox. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { GENERATED } from './header.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';

/** One kind of `kinds.json`: its names and its trees with the `x-kubernetes-*` and `x-lintel-*` keywords. */
export interface InternalKind {
  readonly $comment: string;
  readonly kind: string;
  readonly plural: string;
  readonly description: string;
  readonly specRequired: boolean;
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
}

/** The internal form of one kind. @throws Error naming the field when a schema is not structural */
export function buildInternalKind(kind: KindDefinition): InternalKind {
  return {
    $comment: GENERATED,
    kind: kind.kind,
    plural: kind.plural,
    description: kind.description,
    specRequired: kind.specRequired,
    spec: toStructural(kind.spec, `${kind.kind}.spec`),
    status: toStructural(kind.status, `${kind.kind}.status`),
  };
}

/** All kinds by name, in the given order: `{ MCPGroup: { kind, plural, specRequired, spec, status }, ... }`. */
export function buildInternalSchemas(kinds: readonly KindDefinition[]): Record<string, InternalKind> {
  return Object.fromEntries(kinds.map(kind => [kind.kind, buildInternalKind(kind)]));
}

/** The schemas of all files by their type. @throws Error naming the field when a schema is not structural */
export function buildInternalFiles(files: readonly FileDefinition[]): Record<string, object> {
  return Object.fromEntries(
    files.map(({ schema }) => [schema.title, { $comment: GENERATED, ...toStructural(schema, schema.title) }]),
  );
}
