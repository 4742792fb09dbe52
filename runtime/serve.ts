/** One process, one bundle: which kind it is decides what serves it. */
import { isRegistry, loadBundle } from './bundle/load.ts';
import { bundleWritten } from './bundle/wait.ts';
import type { Logger } from './observe/log.ts';
import type { RuntimeOptions } from './options.ts';
import type { RunningRuntime } from './running-runtime.ts';
import { serveGateway } from './serve-gateway.ts';

/**
 * Loads the bundle and serves it until `stop`. One that is watched may come later.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serve(options: RuntimeOptions, log: Logger): Promise<RunningRuntime> {
  if (options.watch) await bundleWritten(options.bundle, options, log);
  const loaded = await loadBundle(options.bundle, options);
  if (!isRegistry(loaded)) return serveGateway(loaded, options, log);
  // A gateway starts without a line of it.
  const { serveRegistry } = await import('./registry/serve-registry.ts');
  return serveRegistry(loaded, options, log);
}
