import { referencesIn } from '#compiler';
import { canonicalJson, digestOf } from '#schemas';
import type { Neighbourhood } from './neighbourhood.ts';
import type { CompiledUnit } from './outcome.ts';

/** Configs whose hash a status shows. */
const HASHED: ReadonlySet<string> = new Set(['MCPOIDCConfig', 'MCPTelemetryConfig', 'MCPAuthzConfig']);

/** The digests of the specs, as written, of the configs that an object refers to. */
export function configHashes(
  object: { readonly kind: string; readonly namespace: string; readonly name: string },
  around: Neighbourhood,
): CompiledUnit['configHashes'] {
  const { kind, namespace, name } = object;
  const references = referencesIn(kind, around.specOf(kind, namespace, name));
  const hashes = references
    .filter(reference => HASHED.has(reference.kind) && around.find({ ...reference, namespace }) !== undefined)
    .map(reference => {
      const spec = around.specOf(reference.kind, namespace, reference.name);
      return [reference.kind, digestOf(canonicalJson(spec))] as const;
    });
  return Object.fromEntries(hashes);
}
