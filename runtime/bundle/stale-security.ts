import { formatCanonicalJson, type GatewayBundle, type RegistryBundle } from '#schemas';

/** A member of a bundle that decides about authentication or authorization. */
export type SecurityPart = 'incomingAuth' | 'authorization' | 'auth' | 'publicPaths' | 'claims';

type PartsOf<Bundle> = { readonly [part in SecurityPart]?: (bundle: Bundle) => unknown };

const GATEWAY: PartsOf<GatewayBundle> = {
  incomingAuth: ({ incomingAuth }) => incomingAuth,
  authorization: ({ authorization }) => authorization,
};

const REGISTRY: PartsOf<RegistryBundle> = {
  auth: ({ auth }) => auth,
  authorization: ({ authorization }) => authorization,
  publicPaths: ({ publicPaths }) => publicPaths,
  // A registry is visible to callers who also satisfy the claims of its sources.
  claims: ({ sources, registries }) => [
    sources.map(({ name, claims }) => [name, claims]),
    registries.map(({ name, sources: shown, claims }) => [name, shown, claims]),
  ],
};

/**
 * The security parts in which the active bundle differs from the newer bundle that was refused. All parts if the newer bundle is unreadable or
 * of another kind.
 */
export function listStaleSecurity(
  running: GatewayBundle | RegistryBundle,
  refused: GatewayBundle | RegistryBundle | undefined,
): readonly SecurityPart[] {
  return running.kind === 'gateway'
    ? listChanged(GATEWAY, running, refused?.kind === 'gateway' ? refused : undefined)
    : listChanged(REGISTRY, running, refused?.kind === 'registry' ? refused : undefined);
}

function listChanged<Bundle>(parts: PartsOf<Bundle>, running: Bundle, refused: Bundle | undefined): SecurityPart[] {
  return Object.entries(parts).flatMap(([part, read]) =>
    refused !== undefined && formatCanonicalJson(read(running)) === formatCanonicalJson(read(refused))
      ? []
      : [part as SecurityPart],
  );
}
