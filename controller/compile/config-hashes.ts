import { findReferences } from '#compiler';
import { computeDigest, formatCanonicalJson } from '#schemas';
import type { CompilationIndex } from './compilation-index.ts';
import type { CompiledUnit } from './outcome.ts';

/** Configs whose hash every status shows. */
const HASHED: readonly string[] = ['MCPOIDCConfig', 'MCPTelemetryConfig', 'MCPAuthzConfig'];

/** Configs whose hash the status of an MCPServer or MCPRemoteProxy shows. */
const HASHED_OF_SERVERS: readonly string[] = [...HASHED, 'MCPToolConfig', 'MCPExternalAuthConfig'];

/** The digests of the specs, as written, of the configs that an object refers to. */
export function computeConfigHashes(
  object: { readonly kind: string; readonly namespace: string; readonly name: string },
  index: CompilationIndex,
): CompiledUnit['configHashes'] {
  const { kind, namespace, name } = object;
  const references = findReferences(kind, index.readSpec(kind, namespace, name));
  const hashed = kind === 'MCPServer' || kind === 'MCPRemoteProxy' ? HASHED_OF_SERVERS : HASHED;
  const hashes = references
    .filter(reference => hashed.includes(reference.kind) && index.find({ ...reference, namespace }) !== undefined)
    .map(reference => {
      const spec = index.readSpec(reference.kind, namespace, reference.name);
      return [reference.kind, computeDigest(formatCanonicalJson(spec))] as const;
    });
  return Object.fromEntries(hashes);
}
