import type { StructuralSchema } from './generate/structural-schema.ts';
import project from './generated/project.json' with { type: 'json' };

/** What `lintel.yaml` may hold, as it was generated: no TypeBox, which is slow to load. */
export const PROJECT_SCHEMA: StructuralSchema = project as unknown as StructuralSchema;
