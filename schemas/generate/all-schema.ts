/**
 * `all.json`: one schema for a whole folder of manifests (`# yaml-language-server: $schema=...`). It selects the schema by the group and kind of
 * a document. Documents of other groups pass, because such files contain Deployments and Secrets too.
 */
import type { KindDefinition } from '../kinds/define.ts';
import { ACCEPTED_API_GROUPS } from '../names.ts';
import { GENERATED } from './header.ts';
import { buildResourceSchema, DIALECT, formatSchemaId, type JsonSchema } from './json-schema.ts';

/** Matches an `apiVersion` of any accepted group, in any version. */
const OUR_GROUPS = `^(${ACCEPTED_API_GROUPS.map(group => group.replaceAll('.', '\\.')).join('|')})/`;

/** The schema of any document. It contains the schemas of all kinds, so it needs no network. */
export function buildAllSchema(kinds: readonly KindDefinition[]): JsonSchema {
  const names = kinds.map(kind => kind.kind);
  return {
    $schema: DIALECT,
    $id: formatSchemaId('all'),
    $comment: GENERATED,
    title: 'Any Lintel resource',
    description:
      'Validates a document of an accepted API group against the schema of its kind. Other documents are valid.',
    type: 'object',
    required: ['apiVersion', 'kind'],
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' } },
    allOf: [
      {
        if: matchOwnGroups({ kind: { type: 'string' } }),
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword; nothing awaits this object
        then: { type: 'object', properties: { kind: { type: 'string', enum: names } } },
      },
      ...kinds.map(kind => ({
        if: matchOwnGroups({ kind: { type: 'string', const: kind.kind } }),
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword; nothing awaits this object
        then: { $ref: `#/$defs/${kind.kind}` },
      })),
    ],
    $defs: Object.fromEntries(kinds.map(kind => [kind.kind, buildResourceSchema(kind)])),
  };
}

function matchOwnGroups(more: { readonly kind: JsonSchema }): JsonSchema {
  const apiVersion = { type: 'string', pattern: OUR_GROUPS };
  return { type: 'object', required: ['apiVersion', 'kind'], properties: { apiVersion, ...more } };
}
