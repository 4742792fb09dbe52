/** Resolves how a gateway authenticates to one backend, from the gateway's spec and the workload's spec. */
import type { ExternalAuthConfigRef, OutgoingStrategy, VirtualMCPServerSpec } from '#schemas';
import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

export type ChosenAuth =
  /** An MCPExternalAuthConfig in the gateway's namespace. `path`: where it is referenced, in the gateway or in the workload. */
  | { readonly type: 'reference'; readonly by: 'gateway' | 'workload'; readonly name: string; readonly path: Path }
  /** An inline strategy. */
  | { readonly type: 'strategy'; readonly strategy: OutgoingStrategy; readonly path: Path }
  /** The entry requires a reference and has none, so the intention is unknown. */
  | { readonly type: 'unnamed'; readonly path: Path }
  /**
   * Nothing is sent. `decided`: an entry or default of the gateway requires that, or refers to a credential that the workload does not
   * have.
   */
  | { readonly type: 'nothing'; readonly decided: boolean };

/**
 * The entry for the backend; otherwise the workload's reference, if the source, the entry or the default is `discovered`; otherwise the default.
 *
 * @param discovered the workload's reference; undefined for an inline backend
 */
export function chooseAuth(
  { spec }: Resource<VirtualMCPServerSpec>,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth {
  return spec.outgoingAuth === undefined
    ? chooseAuthOfStrategies(spec, backend, discovered)
    : chooseAuthOfReferences(spec.outgoingAuth, backend, discovered);
}

function chooseAuthOfReferences(
  { source, backends, default: fallback }: NonNullable<VirtualMCPServerSpec['outgoingAuth']>,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth {
  const path = ['spec', 'outgoingAuth'];
  const entry = getOwnEntry(backends, backend);
  if (entry?.type === 'externalAuthConfigRef') {
    return toNamedAuth(entry.externalAuthConfigRef, [...path, 'backends', backend]);
  }
  const discovers = entry !== undefined || source !== 'inline' || fallback?.type === 'discovered';
  if (discovers && discovered !== undefined) return chooseAuthOfWorkload(discovered);
  if (fallback?.type === 'externalAuthConfigRef')
    return toNamedAuth(fallback.externalAuthConfigRef, [...path, 'default']);
  return { type: 'nothing', decided: entry !== undefined || fallback !== undefined };
}

function chooseAuthOfStrategies(
  { config }: VirtualMCPServerSpec,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth {
  const path = ['spec', 'config', 'outgoingAuth'];
  const outgoingAuth = config?.outgoingAuth;
  const entry = getOwnEntry(outgoingAuth?.backends, backend);
  if (entry !== undefined) return { type: 'strategy', strategy: entry, path: [...path, 'backends', backend] };
  if (outgoingAuth?.source !== 'inline' && discovered !== undefined) return chooseAuthOfWorkload(discovered);
  if (outgoingAuth?.default === undefined) return { type: 'nothing', decided: false };
  return { type: 'strategy', strategy: outgoingAuth.default, path: [...path, 'default'] };
}

function chooseAuthOfWorkload({ name }: ExternalAuthConfigRef): ChosenAuth {
  return { type: 'reference', by: 'workload', name, path: ['spec', 'externalAuthConfigRef', 'name'] };
}

function toNamedAuth(ref: ExternalAuthConfigRef | undefined, path: Path): ChosenAuth {
  if (ref === undefined) return { type: 'unnamed', path };
  return { type: 'reference', by: 'gateway', name: ref.name, path: [...path, 'externalAuthConfigRef', 'name'] };
}

function getOwnEntry<T>(entries: { readonly [backend: string]: T } | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
