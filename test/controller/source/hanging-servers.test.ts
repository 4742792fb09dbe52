/** Git servers that accept requests and never complete the response, and sources of other servers meanwhile. */
import { expect, onTestFinished, test } from 'vitest';
import { GitServer } from '../../support/git-server.ts';
import { type Intercept, readSound, SOURCES, startServers } from './hanging.ts';
import { useServedRepositories } from './repositories.ts';
import { findSource } from './sources.ts';

const fixture = useServedRepositories();

/**
 * The limit in seconds, for busy machines. Usually the healthy source is read after three seconds, when the controller stops waiting for the
 * first hanging ones. If it waited for all of them, that would take an hour.
 */
const LIMIT_S = 200;

test.each<[how: string, intercept: Intercept]>([
  ['the first request is not answered', () => true],
  // The first query, whether there is a new commit, takes two requests.
  ['the transfer does not begin', (_request, _response, before) => before >= 2],
])(
  'four hanging Git servers with eight sources each do not delay a source of another server: %s',
  async (_how, intercept) => {
    fixture.repository.commit({ 'gateway.yaml': 'kind: Nothing\n' });
    expect(await readSound(fixture, await startServers(fixture, intercept))).toBeLessThan(LIMIT_S);
  },
);

test('sources that wait for the fetch of another source of the same repository block no reconcile worker', async () => {
  fixture.repository.commit({ 'gateway.yaml': 'kind: Nothing\n' });
  let asked = 0;
  const server = await GitServer.start({
    root: fixture.root,
    intercept() {
      asked += 1;
      return asked > 8;
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const url = server.url(fixture.repositoryName);
  const sources = Array.from({ length: SOURCES }, (_, at) =>
    findSource({ url, timeout: '1h' }, { name: `same-${at}` }),
  );
  expect(await readSound(fixture, sources)).toBeLessThan(LIMIT_S);
});
