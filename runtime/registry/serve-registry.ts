/** Runs a registry server: listens on both addresses, and replaces the bundle when it changes. */
import { REGISTRY_PATH, REGISTRY_PORT } from '#schemas';
import type { LoadedRegistry } from '../bundle/load.ts';
import { watchBundle } from '../bundle/watch.ts';
import { formatUrl, listen } from '../http/listen.ts';
import { openAudit } from '../observe/audit/open-audit.ts';
import type { Logger } from '../observe/log.ts';
import type { RuntimeOptions } from '../options.ts';
import type { RunningRuntime } from '../running-runtime.ts';
import { openAll } from '../undo.ts';
import { RegistryProcess } from './registry-process.ts';

/**
 * Serves a loaded registry server until `stop`. It listens for clients once the entries in the bundle and the entries stored on disk are listed.
 *
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export function serveRegistry(loaded: LoadedRegistry, options: RuntimeOptions, log: Logger): Promise<RunningRuntime> {
  const { host, port = REGISTRY_PORT } = options.listen;
  return openAll(async undo => {
    const audit = await openAudit(loaded, log);
    undo.add(() => audit.close());
    const served = new RegistryProcess(loaded, options, { log, audit });
    undo.add(() => served.close());
    const internal = await listen('--internal-address', options.internal, { routes: served.internalRoutes(), log });
    undo.add(() => internal.close(0));
    await served.start();
    const main = await listen(
      '--host/--port',
      { host, port },
      {
        routes: { get: path => served.route(path) },
        log,
        onRequest: (req, res) => audit.begin(req, res),
      },
    );
    served.isListening = true;
    const stopWatching = options.watch ? watchBundle(options.bundle, () => served.renew()) : async () => {};
    const url = formatUrl(host, main.address.port);
    const { bundle, digest } = loaded;
    const registries = bundle.registries.map(({ name }) => [name, `${url}${REGISTRY_PATH}/${name}/v0.1/servers`]);
    return {
      kind: 'registry',
      name: `${bundle.namespace}/${bundle.name}`,
      url,
      internalUrl: formatUrl(options.internal.host, internal.address.port),
      digest,
      registries: Object.fromEntries(registries) as RunningRuntime['registries'],
      stop: async leaveMs => {
        served.isListening = false;
        await stopWatching();
        await main.close(undefined, leaveMs);
        await audit.close();
        await Promise.all([internal.close(0), served.close()]);
      },
    };
  });
}
