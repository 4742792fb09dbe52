/** Every rule of every kind, with its path. */
import { KINDS_FILE, type StructuralSchema } from '#schemas';
import type { Path } from '../../support/sample.ts';

export interface PlacedRule {
  /** The place of the rule, such as `MCPServer.rateLimiting.tools.0`. */
  readonly title: string;
  readonly kind: string;
  /** The schema of the spec. */
  readonly root: StructuralSchema;
  /** The path from the spec to the rule's object; 0 stands for any item. */
  readonly path: Path;
  /** Schema of the rule's object. */
  readonly schema: StructuralSchema;
  readonly rule: string;
  readonly message: string;
}

function rulesIn(kind: string, root: StructuralSchema, schema: StructuralSchema, path: Path): PlacedRule[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule, message = '' }) => ({
    title: [kind, ...path].join('.'),
    kind,
    root,
    path,
    schema,
    rule,
    message,
  }));
  const children: readonly (readonly [Path[number], StructuralSchema | undefined])[] = [
    ...Object.entries(schema.properties ?? {}),
    [0, schema.items],
    ['sample', schema.additionalProperties],
  ];
  return [
    ...own,
    ...children.flatMap(([step, child]) => (child === undefined ? [] : rulesIn(kind, root, child, [...path, step]))),
  ];
}

export const PLACED_RULES: readonly PlacedRule[] = Object.values(KINDS_FILE).flatMap(({ kind, spec }) =>
  rulesIn(kind, spec, spec, []),
);
