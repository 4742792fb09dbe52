/** How a gateway authenticates to one backend, as far as its own spec and the workload's decide. */
import type { ExternalAuthConfigRef, OutgoingStrategy, VirtualMCPServerSpec } from '#schemas';
import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

export type ChosenAuth =
  /** An MCPExternalAuthConfig in the gateway's namespace. `path`: where it is named, in the gateway or in the workload. */
  | { readonly type: 'reference'; readonly by: 'gateway' | 'workload'; readonly name: string; readonly path: Path }
  /** Written out in the gateway. */
  | { readonly type: 'strategy'; readonly strategy: OutgoingStrategy; readonly path: Path }
  /** The gateway asks for a reference there and names none: it is unknown what is meant. */
  | { readonly type: 'unnamed'; readonly path: Path }
  /** Nothing is sent. `decided`: an entry or a default of the gateway says so, or refers to what the workload does not have. */
  | { readonly type: 'nothing'; readonly decided: boolean };

/**
 * The entry for the backend; else what the workload refers to, if the source, the entry or the default says
 * `discovered`; else the default.
 *
 * @param discovered what the workload refers to; undefined for a backend that the gateway wrote out
 */
export function chosenAuth(
  { spec }: Resource<VirtualMCPServerSpec>,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth {
  return spec.outgoingAuth === undefined
    ? ofStrategies(spec, backend, discovered)
    : ofReferences(spec.outgoingAuth, backend, discovered);
}

function ofReferences(
  { source, backends, default: fallback }: NonNullable<VirtualMCPServerSpec['outgoingAuth']>,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth {
  const path = ['spec', 'outgoingAuth'];
  const entry = ownEntry(backends, backend);
  if (entry?.type === 'externalAuthConfigRef') {
    return named(entry.externalAuthConfigRef, [...path, 'backends', backend]);
  }
  const discovers = entry !== undefined || source !== 'inline' || fallback?.type === 'discovered';
  if (discovers && discovered !== undefined) return ofWorkload(discovered);
  if (fallback?.type === 'externalAuthConfigRef') return named(fallback.externalAuthConfigRef, [...path, 'default']);
  return { type: 'nothing', decided: entry !== undefined || fallback !== undefined };
}

function ofStrategies(
  { config }: VirtualMCPServerSpec,
  backend: string,
  discovered: ExternalAuthConfigRef | undefined,
): ChosenAuth {
  const path = ['spec', 'config', 'outgoingAuth'];
  const written = config?.outgoingAuth;
  const entry = ownEntry(written?.backends, backend);
  if (entry !== undefined) return { type: 'strategy', strategy: entry, path: [...path, 'backends', backend] };
  if (written?.source !== 'inline' && discovered !== undefined) return ofWorkload(discovered);
  if (written?.default === undefined) return { type: 'nothing', decided: false };
  return { type: 'strategy', strategy: written.default, path: [...path, 'default'] };
}

function ofWorkload({ name }: ExternalAuthConfigRef): ChosenAuth {
  return { type: 'reference', by: 'workload', name, path: ['spec', 'externalAuthConfigRef', 'name'] };
}

function named(ref: ExternalAuthConfigRef | undefined, path: Path): ChosenAuth {
  if (ref === undefined) return { type: 'unnamed', path };
  return { type: 'reference', by: 'gateway', name: ref.name, path: [...path, 'externalAuthConfigRef', 'name'] };
}

function ownEntry<T>(entries: { readonly [backend: string]: T } | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
