/** Everything that `npm run generate` produces, in memory. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { allSchema } from './all-schema.ts';
import { knownFields } from './cdk8s/known-fields.ts';
import { specsSource } from './cdk8s/specs.ts';
import { crdFile, crdKustomization, crdYaml, KUSTOMIZATION_FILE } from './crd.ts';
import { GENERATED } from './header.ts';
import { internalFiles, internalKind, internalSchemas } from './internal-schema.ts';
import { fileSchema, jsonSchema } from './json-schema.ts';
import { reference } from './reference.ts';
import { typesSource } from './types.ts';

/** Folders that contain only generated files: any other file in them is an orphan. */
export const OWNED_FOLDERS: readonly string[] = ['cdk8s', 'crd', 'json'];

/**
 * The text of every generated file by its path below `generated/`, with forward slashes.
 *
 * @throws Error naming the place when a kind definition cannot be expressed
 */
export function outputs(kinds: readonly KindDefinition[], files: readonly FileDefinition[] = []): Map<string, string> {
  const internal = kinds.map(internalKind);
  return new Map([
    ['cdk8s/specs.ts', specsSource(internal)],
    ['cdk8s/fields.json', `${JSON.stringify({ $comment: GENERATED, ...knownFields(internal) })}\n`],
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
