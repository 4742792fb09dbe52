/** One process, one bundle. */
import { loadGateway } from './bundle/load.ts';
import type { Logger } from './observe/log.ts';
import type { RuntimeOptions } from './options.ts';
import type { RunningRuntime } from './running-runtime.ts';
import { serveGateway } from './serve-gateway.ts';

/**
 * Loads the bundle and serves it until `stop`.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serve(options: RuntimeOptions, log: Logger): Promise<RunningRuntime> {
  return serveGateway(await loadGateway(options.bundle, options), options, log);
}
