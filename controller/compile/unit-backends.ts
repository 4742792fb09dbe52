import type { BackendAuth, GatewayBundle } from '#schemas';
import type { CompilationIndex } from './compilation-index.ts';
import type { UnitBackend } from './outcome.ts';

/** Workload kinds, whose names are backend names; a name is unique within a namespace. */
const WORKLOADS = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

interface Chooser {
  readonly externalAuthConfigRef?: { readonly name?: string };
  readonly outgoingAuth?: {
    readonly default?: BackendAuth;
    readonly backends?: { readonly [name: string]: BackendAuth };
  };
}

/** The backends of a gateway in the form of its status. */
export function listUnitBackends(bundle: GatewayBundle, index: CompilationIndex): readonly UnitBackend[] {
  const { namespace } = bundle;
  const gateway = index.readSpec('VirtualMCPServer', namespace, bundle.name) as Chooser;
  return bundle.backends.map(({ name, url, auth }) => {
    const { backends = {}, default: fallback } = gateway.outgoingAuth ?? {};
    const chosen = (Object.hasOwn(backends, name) ? backends[name] : undefined) ?? fallback;
    const own = WORKLOADS.map(kind => index.readSpec(kind, namespace, name) as Chooser).find(
      ({ externalAuthConfigRef }) => externalAuthConfigRef !== undefined,
    );
    const ref = chosen?.type === 'externalAuthConfigRef' ? chosen.externalAuthConfigRef : own?.externalAuthConfigRef;
    const isUsed = auth.type !== 'unauthenticated' && ref?.name !== undefined;
    return { name, url, authType: auth.type, ...(isUsed && { authConfigRef: ref.name as string }) };
  });
}
