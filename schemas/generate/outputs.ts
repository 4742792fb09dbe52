/** Everything that `npm run generate` produces, in memory. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { buildAllSchema } from './all-schema.ts';
import { collectKnownFields } from './cdk8s/known-fields.ts';
import { formatSpecs } from './cdk8s/specs.ts';
import { formatCrdFileName, formatCrdKustomization, formatCrdYaml, KUSTOMIZATION_FILE } from './crd.ts';
import { GENERATED } from './header.ts';
import { buildInternalFiles, buildInternalKind, buildInternalSchemas } from './internal-schema.ts';
import { buildFileSchema, buildJsonSchema } from './json-schema.ts';
import { formatReferencePage } from './reference.ts';
import { formatTypes } from './types.ts';

/** Folders that contain only generated files: any other file in them is an orphan. */
export const OWNED_FOLDERS: readonly string[] = ['cdk8s', 'crd', 'json'];

/**
 * The text of every generated file by its path below `generated/`, with forward slashes.
 *
 * @throws Error naming the place when a kind definition cannot be expressed
 */
export function collectOutputs(
  kinds: readonly KindDefinition[],
  files: readonly FileDefinition[] = [],
): Map<string, string> {
  const internal = kinds.map(buildInternalKind);
  return new Map([
    ['cdk8s/specs.ts', formatSpecs(internal)],
    ['cdk8s/fields.json', `${JSON.stringify({ $comment: GENERATED, ...collectKnownFields(internal) })}\n`],
    ...kinds.map(kind => [`json/${kind.kind.toLowerCase()}.json`, formatJson(buildJsonSchema(kind))] as const),
    ['json/all.json', formatJson(buildAllSchema(kinds))],
    ...files.map(file => [`json/${file.id}.json`, formatJson(buildFileSchema(file))] as const),
    ...kinds.map(kind => [`crd/${formatCrdFileName(kind)}`, formatCrdYaml(kind)] as const),
    [`crd/${KUSTOMIZATION_FILE}`, formatCrdKustomization(kinds)],
    ['kinds.json', formatJson(buildInternalSchemas(kinds))],
    ['files.json', formatJson(buildInternalFiles(files))],
    ['types.ts', formatTypes(kinds, files)],
    ['REFERENCE.md', formatReferencePage(kinds, files)],
  ]);
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
