/** A git server that takes requests and never answers, and the sources of other servers meanwhile. */
import { expect, test } from 'vitest';
import { WorkQueue } from '../../../controller/kube/index.ts';
import { GitServer } from '../../support/git-server.ts';
import { useRepositories } from './repositories.ts';
import { findSource, repositoryIn } from './sources.ts';

const fixture = useRepositories();

/** More than there are workers, and more than are asked of one server at a time. */
const HANGING = 8;

test('sources of a server that hangs take no worker from those of other servers', async () => {
  fixture.repository.commit({ 'gateway.yaml': 'kind: Nothing\n' });
  let asked = 0;
  await using hanging = await GitServer.start({
    root: fixture.stateDir,
    intercept() {
      asked += 1;
      return true;
    },
  });
  const sources = new Map(
    Array.from({ length: HANGING }, (_, at) => {
      const name = `hanging-${at}`;
      return [name, findSource({ url: hanging.url(`${name}.git`) }, { name })] as const;
    }),
  );
  sources.set('sound', findSource({ url: fixture.repository.path }, { name: 'sound' }));
  const repository = repositoryIn(fixture.stateDir);
  const fetched = Promise.withResolvers<string>();
  const queue = new WorkQueue({
    concurrency: 2,
    onError: () => {},
    work: async (name, signal, yieldPlace) => {
      const source = sources.get(name);
      if (source === undefined) throw new Error(`there is no source ${name}`);
      const { commit } = await repository.fetchLatest(source, undefined, signal, { yieldPlace });
      fetched.resolve(`${name} ${commit}`);
      return undefined;
    },
  });
  for (const name of sources.keys()) queue.add(name);
  queue.start();
  expect(await fetched.promise).toMatch(/^sound [0-9a-f]{40}$/);
  // Each has asked once at most: none of them is over.
  expect(asked).toBeLessThan(HANGING);
  await queue.shutDown(0);
});
