/** The internal page of simulated pods: each answers at its own loopback address with the digest of its pod template. */
import { createServer, type Server } from 'node:http';
import { DIGEST_ANNOTATION, INTERNAL_PORT } from '#schemas';
import type { KubeObject } from '../../../controller/kube/index.ts';

export class ServingPods implements AsyncDisposable {
  readonly #servers = new Map<string, Server>();
  readonly #digests = new Map<string, string>();

  /** Serves exactly the pods that exist now. */
  async follow(pods: readonly KubeObject[]): Promise<void> {
    const addresses = new Map(
      pods.flatMap(pod => {
        const { podIP } = (pod.status ?? {}) as { readonly podIP?: string };
        return podIP === undefined ? [] : [[podIP, pod.metadata.annotations?.[DIGEST_ANNOTATION] ?? ''] as const];
      }),
    );
    for (const [address, digest] of addresses) this.#digests.set(address, digest);
    const opened = [...addresses.keys()].filter(address => !this.#servers.has(address));
    await Promise.all(opened.map(address => this.#open(address)));
    for (const [address, server] of this.#servers) {
      if (addresses.has(address)) continue;
      server.close();
      server.closeAllConnections();
      this.#servers.delete(address);
    }
  }

  async #open(address: string): Promise<void> {
    const server = createServer((_request, response) => {
      const bundle = { digest: this.#digests.get(address), refused: null, staleSecurity: [] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ bundle, backends: [] }));
    });
    this.#servers.set(address, server);
    await new Promise<void>(resolve => server.listen(INTERNAL_PORT, address, resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.follow([]);
  }
}
