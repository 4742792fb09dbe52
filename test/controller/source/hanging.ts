/** Sources whose git servers hang, and how long a source of a healthy server waits meanwhile. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { WorkQueue } from '../../../controller/kube/index.ts';
import type { ObservedSource } from '../../../controller/reconcile/index.ts';
import { GitServer } from '../../support/git-server.ts';
import type { useServedRepositories } from './repositories.ts';
import { findSource, repositoryIn } from './sources.ts';

type Fixture = ReturnType<typeof useServedRepositories>;

/** Answers a request in place of git, and returns true; gets the number of earlier requests for the repository. */
export type Intercept = (request: IncomingMessage, response: ServerResponse, before: number) => boolean;

/** The number of sources: more than the number of workers, and more than the concurrent requests to one server. */
export const SOURCES = 8;
export const SERVERS = 4;

/** Reconciles sources as the controller does until the healthy one was read; returns the seconds. */
export async function readSound(
  fixture: Fixture,
  hanging: readonly ObservedSource[],
  secrets: Parameters<typeof repositoryIn>[1] = {},
): Promise<number> {
  const sources = new Map(hanging.map(source => [source.metadata.name, source]));
  const repository = repositoryIn(fixture.stateDir, secrets);
  const fetched = Promise.withResolvers<void>();
  const queue = new WorkQueue({
    concurrency: 4,
    onError: () => {},
    work: async (name, signal, yieldWorker) => {
      const source = sources.get(name);
      if (source === undefined) throw new Error(`there is no source ${name}`);
      await repository.fetchLatest(source, undefined, signal, { yieldWorker });
      if (name === 'sound') fetched.resolve();
      return undefined;
    },
  });
  onTestFinished(() => queue.shutDown(0));
  for (const name of sources.keys()) queue.add(name);
  queue.start();
  // Waits until the controller is connected to hanging servers.
  await expect.poll(() => repository.conversations.moving + repository.conversations.still).toBeGreaterThanOrEqual(4);
  sources.set('sound', findSource({ url: fixture.url }, { name: 'sound' }));
  const startedAt = performance.now();
  queue.add('sound');
  await fetched.promise;
  return (performance.now() - startedAt) / 1_000;
}

export async function startServers(fixture: Fixture, intercept: Intercept): Promise<readonly ObservedSource[]> {
  const servers = await Promise.all(
    Array.from({ length: SERVERS }, async () => {
      const counts = new Map<string, number>();
      const server = await GitServer.start({
        root: fixture.root,
        intercept(request, response) {
          const name = /^\/([^/]+)/.exec(request.url ?? '')?.[1] ?? '';
          const before = counts.get(name) ?? 0;
          counts.set(name, before + 1);
          return intercept(request, response, before);
        },
      });
      onTestFinished(() => server[Symbol.asyncDispose]());
      return server;
    }),
  );
  return servers.flatMap((server, at) =>
    Array.from({ length: SOURCES }, (_, number) =>
      findSource(
        { url: server.url(fixture.cloneOf(`${at}-${number}`)), timeout: '1h' },
        { name: `hanging-${at}-${number}` },
      ),
    ),
  );
}
