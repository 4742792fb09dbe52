/** Everything that `npm run generate` produces, in memory. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { allSchema } from './all-schema.ts';
import { crdFile, crdKustomization, crdYaml, KUSTOMIZATION_FILE } from './crd.ts';
import { internalFiles, internalSchemas } from './internal-schema.ts';
import { fileSchema, jsonSchema } from './json-schema.ts';
import { reference } from './reference.ts';
import { typesSource } from './types.ts';

/** Folders that hold generated files only: any other file there is an orphan. */
export const OWNED_FOLDERS: readonly string[] = ['crd', 'json'];

/**
 * Text of every generated file by its path below `generated/`, with forward slashes.
 *
 * @throws Error naming the place when a kind definition cannot be expressed
 */
export function outputs(kinds: readonly KindDefinition[], files: readonly FileDefinition[] = []): Map<string, string> {
  return new Map([
    ...kinds.map(kind => [`json/${kind.kind.toLowerCase()}.json`, json(jsonSchema(kind))] as const),
    ['json/all.json', json(allSchema(kinds))],
    ...files.map(file => [`json/${file.id}.json`, json(fileSchema(file))] as const),
    ...kinds.map(kind => [`crd/${crdFile(kind)}`, crdYaml(kind)] as const),
    [`crd/${KUSTOMIZATION_FILE}`, crdKustomization(kinds)],
    ['kinds.json', json(internalSchemas(kinds))],
    ['files.json', json(internalFiles(files))],
    ['types.ts', typesSource(kinds, files)],
    ['REFERENCE.md', reference(kinds, files)],
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
