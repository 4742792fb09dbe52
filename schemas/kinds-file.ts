import type { StructuralSchema } from './generate/structural-schema.ts';
import kinds from './generated/kinds.json' with { type: 'json' };

/** The generated schemas of one kind. Without TypeBox, which is slow to load. */
export interface KindSchemas {
  readonly kind: string;
  readonly plural: string;
  readonly description: string;
  readonly specRequired: boolean;
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
}

/** Every kind of our API group, by name. */
export const KINDS_FILE: { readonly [kind: string]: KindSchemas } = kinds as unknown as {
  readonly [kind: string]: KindSchemas;
};
