import type { StructuralSchema } from './generate/structural-schema.ts';
import files from './generated/files.json' with { type: 'json' };

/** The types of files; named here, since declarations that ship cannot read the JSON. */
export type FileType = 'CatalogLock' | 'ProjectFile' | 'RegistryConfig' | 'WorkflowTestFile';

/** What was generated of each file that is no object, by its type: no TypeBox, which is slow to load. */
export const FILE_SCHEMAS: { readonly [Type in FileType]: StructuralSchema } = files as unknown as {
  readonly [Type in keyof typeof files]: StructuralSchema;
};
