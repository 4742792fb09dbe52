/**
 * `all.json`: one schema for a whole folder of manifests (`# yaml-language-server: $schema=...`). It looks at the
 * group and the kind of a document; documents of other groups pass, since such files hold Deployments and Secrets too.
 */
import type { KindDefinition } from '../kinds/define.ts';
import { ACCEPTED_API_GROUPS } from '../names.ts';
import { GENERATED } from './header.ts';
import { DIALECT, type JsonSchema, resourceSchema, schemaId } from './json-schema.ts';

/** `apiVersion` of any group that we accept, whatever its version. */
const OUR_GROUPS = `^(${ACCEPTED_API_GROUPS.map(group => group.replaceAll('.', '\\.')).join('|')})/`;

/** The schema of any document, with every kind held inside: it resolves without a network. */
export function allSchema(kinds: readonly KindDefinition[]): JsonSchema {
  const names = kinds.map(kind => kind.kind);
  return {
    $schema: DIALECT,
    $id: schemaId('all'),
    $comment: GENERATED,
    title: 'Any Lintel resource',
    description: 'Checks a document of an accepted API group by its kind; other documents pass.',
    type: 'object',
    required: ['apiVersion', 'kind'],
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' } },
    allOf: [
      {
        if: ofOurs({ kind: { type: 'string' } }),
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword; nothing awaits this object
        then: { type: 'object', properties: { kind: { type: 'string', enum: names } } },
      },
      ...kinds.map(kind => ({
        if: ofOurs({ kind: { type: 'string', const: kind.kind } }),
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword; nothing awaits this object
        then: { $ref: `#/$defs/${kind.kind}` },
      })),
    ],
    $defs: Object.fromEntries(kinds.map(kind => [kind.kind, resourceSchema(kind)])),
  };
}

function ofOurs(more: { readonly kind: JsonSchema }): JsonSchema {
  const apiVersion = { type: 'string', pattern: OUR_GROUPS };
  return { type: 'object', required: ['apiVersion', 'kind'], properties: { apiVersion, ...more } };
}
