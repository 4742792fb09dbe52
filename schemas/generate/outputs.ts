/** Everything that `npm run generate` produces, in memory. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import type { ConfigDefinition } from '../registry-config/define.ts';
import { allSchema } from './all-schema.ts';
import { crdFile, crdYaml } from './crd.ts';
import { GENERATED } from './header.ts';
import { internalConfigs, internalFile, internalSchemas } from './internal-schema.ts';
import { configJsonSchema, fileSchema, jsonSchema } from './json-schema.ts';
import { projectSchema, projectStructure, projectTypes } from './project.ts';
import { reference } from './reference.ts';
import { typesSource } from './types.ts';

/** Folders that hold generated files only: any other file there is an orphan. */
export const OWNED_FOLDERS: readonly string[] = ['crd', 'json'];

/**
 * Text of every generated file by its path below `generated/`, with forward slashes.
 *
 * @throws Error naming the place when a kind definition cannot be expressed
 */
export function outputs(
  kinds: readonly KindDefinition[],
  configs: readonly ConfigDefinition[] = [],
  fileDefinitions: readonly FileDefinition[] = [],
): Map<string, string> {
  return new Map([
    ...kinds.map(kind => [`json/${kind.kind.toLowerCase()}.json`, json(jsonSchema(kind))] as const),
    ['json/all.json', json(allSchema(kinds))],
    ...configs.map(config => [`json/${config.name.toLowerCase()}.json`, json(configJsonSchema(config))] as const),
    ...kinds.map(kind => [`crd/${crdFile(kind)}`, crdYaml(kind)] as const),
    ['kinds.json', json(internalSchemas(kinds))],
    ['configs.json', json(internalConfigs(configs))],
    ['types.ts', typesSource(kinds, [...configs, ...fileDefinitions])],
    ...fileDefinitions.map(file => [`json/${file.name}.json`, json(fileSchema(file))] as const),
    ...fileDefinitions.map(file => [`${file.name}.json`, json(internalFile(file))] as const),
    ['json/project.json', json(projectSchema())],
    ['project.json', json({ $comment: GENERATED, ...projectStructure() })],
    ['project-file.ts', projectTypes()],
    ['REFERENCE.md', reference(kinds, configs)],
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
