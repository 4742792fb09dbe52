import type { GatewayBundle, RegistryBundle } from '#schemas';

/** Why a bundle is refused. The message names the file, the cause and what to do. */
export class BundleError extends Error {
  readonly code = 'ERR_BUNDLE';
  /** The bundle, where it could be read whole. */
  readonly bundle: GatewayBundle | RegistryBundle | undefined;

  constructor(path: string, cause: string, bundle?: GatewayBundle | RegistryBundle) {
    super(`${path}: ${cause}`);
    this.name = 'BundleError';
    this.bundle = bundle;
  }
}

/** Nothing is at the path so far. */
export class NoBundleYet extends BundleError {}
