/** Serves a bundle as a gateway or as a registry server, by the kind of the bundle. */
import { availableParallelism } from 'node:os';
import type { AuthServerPlan } from '#schemas';
import { BundleError } from './bundle/bundle-error.ts';
import { isRegistry, loadBundle } from './bundle/load.ts';
import { waitForBundle } from './bundle/wait.ts';
import type { Logger } from './observe/log.ts';
import type { RuntimeOptions } from './options.ts';
import type { RunningRuntime } from './running-runtime.ts';
import { serveGateway } from './serve-gateway.ts';

/**
 * Loads the bundle and serves it until `stop`. If the bundle is watched, this waits until it exists.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serve(options: RuntimeOptions, log: Logger): Promise<RunningRuntime> {
  if (options.watch) await waitForBundle(options.bundle, options, log);
  const loaded = await loadBundle(options.bundle, options);
  const { workers = 1 } = options;
  if (!isRegistry(loaded)) {
    const count = workers === 'auto' ? availableParallelism() : workers;
    if (count === 1) return serveGateway(loaded, options, log);
    const problem = findProcessesProblem(loaded.bundle.authServer);
    if (problem !== undefined) throw new BundleError(loaded.file, problem);
    const { serveWorkers } = await import('./workers/serve-workers.ts');
    return serveWorkers(loaded, count, options, log);
  }
  if (workers !== 'auto' && workers > 1) {
    throw new BundleError(
      loaded.file,
      `a registry server is one process, because only one process may write its state folder: start it without --workers ${workers}`,
    );
  }
  // A gateway loads none of the registry's code.
  const { serveRegistry } = await import('./registry/serve-registry.ts');
  return serveRegistry(loaded, options, log);
}

/** Why several worker processes cannot share one authorization server; undefined if they can. */
function findProcessesProblem(authServer: AuthServerPlan | undefined): string | undefined {
  if (authServer === undefined) return undefined;
  const { storage, signingKeys, hmacSecrets } = authServer;
  if (storage === null)
    return 'authServer keeps its state in the memory of one process, so a sign-in would fail at another process: start the runtime without --workers, or set authServer storage to Redis';
  if (signingKeys.length > 0 && hmacSecrets.length > 0) return undefined;
  return 'authServer has no signing key or no HMAC secret, so each process would make its own: start the runtime without --workers, or set signingKeySecretRefs and hmacSecretRefs';
}
