/** Runs a gateway in one process: serves clients and the internal pages, and replaces the bundle when it changes. */
import { VERSION } from '#schemas';
import { ActiveBundle } from './bundle/active-bundle.ts';
import { type LoadedBundle, loadGateway } from './bundle/load.ts';
import { watchBundle } from './bundle/watch.ts';
import { createInternalRoutes } from './http/internal-routes.ts';
import { formatUrl, listen } from './http/listen.ts';
import type { Logger } from './observe/log.ts';
import { SwapCounts } from './observe/swap-counts.ts';
import { openGateway } from './open-gateway.ts';
import type { RuntimeOptions } from './options.ts';
import type { RunningRuntime } from './running-runtime.ts';
import { openAll } from './undo.ts';

/**
 * Serves a loaded gateway until `stop`.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serveGateway(
  loaded: LoadedBundle,
  options: RuntimeOptions,
  log: Logger,
): Promise<RunningRuntime> {
  const running = new ActiveBundle(loaded, log);
  const swaps = new SwapCounts();
  const { gateway, url, internal } = await openAll(async undo => {
    const gateway = await openGateway(loaded, options, log, { state: running, swaps });
    undo.add(() => gateway.stop(0));
    const url = await gateway.listen();
    const routes = createInternalRoutes({
      ready: () => gateway.isReady,
      version: () => ({ version: VERSION, digest: running.digest }),
      status: () => gateway.status(running),
      metrics: () => gateway.metrics(running, swaps),
    });
    return { gateway, url, internal: await listen('--internal-address', options.internal, { routes, log }) };
  });

  gateway.start();
  const stopWatching = options.watch
    ? watchBundle(options.bundle, async () => {
        const startedAt = performance.now();
        const { digest } = running;
        const isServed = await running.renew(
          () => loadGateway(options.bundle, options),
          async next => (await gateway.prepare(next)).use(),
        );
        if (!isServed) swaps.refused++;
        else if (running.digest !== digest) swaps.served(startedAt);
        return isServed;
      })
    : async () => {};
  return {
    url,
    internalUrl: formatUrl(options.internal.host, internal.address.port),
    kind: 'gateway',
    digest: loaded.digest,
    registries: {},
    name: `${loaded.bundle.namespace}/${loaded.bundle.name}`,
    stop: async leaveMs => {
      gateway.refuseClients();
      await stopWatching();
      await gateway.stop(undefined, leaveMs);
      await internal.close(0);
    },
  };
}
