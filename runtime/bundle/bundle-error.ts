import type { GatewayBundle, RegistryBundle } from '#schemas';
import { escapeUnprintable } from '#shared/util';

/** Why a bundle is refused. The message names the file, the cause and what to do. */
export class BundleError extends Error {
  readonly code = 'ERR_BUNDLE';
  /** The refused bundle, if it could be parsed. */
  readonly bundle: GatewayBundle | RegistryBundle | undefined;
  /** The message without the file. */
  readonly problem: string;

  constructor(path: string, cause: string, bundle?: GatewayBundle | RegistryBundle) {
    // The cause may quote the content of a file, with characters that move a terminal's cursor.
    super(escapeUnprintable(`${path}: ${cause}`));
    this.name = 'BundleError';
    this.problem = cause;
    this.bundle = bundle;
  }
}

/** The path does not exist yet. */
export class NoBundleYet extends BundleError {}
