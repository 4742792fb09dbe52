import type { StructuralSchema } from './generate/structural-schema.ts';
import lock from './generated/lock.json' with { type: 'json' };

/** The structure of the tool catalog, without TypeBox, which is slow to load. */
export const LOCK_SCHEMA: StructuralSchema = lock.schema as unknown as StructuralSchema;
