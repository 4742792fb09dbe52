import { canonicalJson, type GatewayBundle, type RegistryBundle } from '#schemas';

/** A part of a bundle that says who gets in, or who may do or see what. */
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
  // What a registry shows is for those who have the claims of its sources as well.
  claims: ({ sources, registries }) => [
    sources.map(({ name, claims }) => [name, claims]),
    registries.map(({ name, sources: shown, claims }) => [name, shown, claims]),
  ],
};

/**
 * Which of these parts are still those of the running bundle, though the one that was refused has others. All of them where
 * the refused one could not be read, or is of another kind: then it is unknown.
 */
export function staleSecurity(
  running: GatewayBundle | RegistryBundle,
  refused: GatewayBundle | RegistryBundle | undefined,
): readonly SecurityPart[] {
  return running.kind === 'gateway'
    ? changed(GATEWAY, running, refused?.kind === 'gateway' ? refused : undefined)
    : changed(REGISTRY, running, refused?.kind === 'registry' ? refused : undefined);
}

function changed<Bundle>(parts: PartsOf<Bundle>, running: Bundle, refused: Bundle | undefined): SecurityPart[] {
  return Object.entries(parts).flatMap(([part, read]) =>
    refused !== undefined && canonicalJson(read(running)) === canonicalJson(read(refused))
      ? []
      : [part as SecurityPart],
  );
}
