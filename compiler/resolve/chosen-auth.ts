/** How a gateway authenticates to one backend, as far as its own spec and the workload's decide. */
import type { ConfigOutgoingAuth, ExternalAuthConfigRef, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from './inventory.ts';

export type ChosenAuth =
  /** An MCPExternalAuthConfig in the gateway's namespace. */
  | { readonly type: 'reference'; readonly ref: ExternalAuthConfigRef }
  /** Written out in the gateway. */
  | { readonly type: 'strategy'; readonly strategy: NonNullable<ConfigOutgoingAuth['default']> };

/**
 * The entry for the backend; else what the workload refers to, if the source, the entry or the default says
 * `discovered`; else the default. Undefined: nothing is sent.
 *
 * @param discovered what the workload refers to; undefined for a backend that the gateway wrote out
 */
export function chosenAuth(
  { spec }: Resource<VirtualMCPServerSpec>,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth | undefined {
  const references = spec.outgoingAuth;
  if (references !== undefined) {
    const entry = ownEntry(references.backends, backend);
    if (entry?.type === 'externalAuthConfigRef') return reference(entry.externalAuthConfigRef);
    const { type, externalAuthConfigRef: fallback } = references.default ?? {};
    const discovers = entry !== undefined || references.source !== 'inline' || type === 'discovered';
    return reference((discovers ? discovered : undefined) ?? (type === 'externalAuthConfigRef' ? fallback : undefined));
  }
  const written = spec.config?.outgoingAuth;
  const entry = ownEntry(written?.backends, backend);
  if (entry !== undefined) return { type: 'strategy', strategy: entry };
  if (written?.source !== 'inline' && discovered !== undefined) return reference(discovered);
  return written?.default === undefined ? undefined : { type: 'strategy', strategy: written.default };
}

function reference(ref: ExternalAuthConfigRef | undefined): ChosenAuth | undefined {
  return ref === undefined ? undefined : { type: 'reference', ref };
}

function ownEntry<T>(entries: { readonly [backend: string]: T } | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
