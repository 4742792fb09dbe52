import type { StructuralSchema } from './generate/structural-schema.ts';
import files from './generated/files.json' with { type: 'json' };

/** The types of files. They are named here because the shipped declarations cannot read the JSON file. */
export type FileType = 'CatalogLock' | 'ProjectFile' | 'RegistryConfig' | 'WorkflowTestFile';

/** The generated schemas of all files that are not Kubernetes objects, by type. Without TypeBox, which is slow to load. */
export const FILE_SCHEMAS: { readonly [Type in FileType]: StructuralSchema } = files as unknown as {
  readonly [Type in keyof typeof files]: StructuralSchema;
};
