/** From which git addresses the controller reads and which it refuses, and servers that fail or send nothing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GitServer } from '../../support/git-server.ts';
import { PrivateRepository } from './private-repository.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

let remote: PrivateRepository;

beforeAll(async () => {
  remote = await PrivateRepository.create();
});
afterAll(() => remote[Symbol.asyncDispose]());
beforeEach(() => remote.startAfresh());

describe('addresses', () => {
  const inCluster = { isLocalAllowed: false };

  test.each([
    '/srv/gateways.git',
    'file:///srv/gateways.git',
    'http://127.0.0.1/x.git',
    'git://git.example.com/x.git',
    'ext::sh -c touch% /tmp/x',
    '--upload-pack=x',
    'https://user:hunter2@git.example.com/x',
  ])('the controller in a cluster refuses the repository address %s and does not repeat it in the error', async url => {
    const error = await remote.fetch(url, null, inCluster).catch(error => error);
    expect(error).toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
    expect(error.message).toMatch(/^the address of a git repository: it .*; correct the spec of the source$/);
    expect(error.message).not.toContain('hunter2');
  });

  test('the controller reads repositories on its own machine where local addresses are allowed', async () => {
    for (const url of [remote.repository.path, `file://${remote.repository.path}`])
      expect(filesIn((await remote.fetch(url, null, { isLocalAllowed: true })).folder)).toEqual({
        'gateway.yaml': 'private',
      });
  });
});

describe('what may be better at the next try', () => {
  test.each<[what: string, status: number]>([['HTTP 503', 503]])(
    'the controller tries again after an answer of the Git server with %s',
    async (_what, status) => {
      await using server = await GitServer.start({
        root: remote.folder.path,
        intercept(_request, response) {
          response.writeHead(status).end();
          return true;
        },
      });
      await expect(remote.fetch(server.url('x.git'), null, { isLocalAllowed: true })).rejects.toMatchObject({
        reason: 'FetchFailed',
        next: 'retry',
      });
    },
  );

  test('the controller tries again when a Git server does not answer within spec.timeout', async () => {
    const left: Promise<void>[] = [];
    await using server = await GitServer.start({
      root: remote.folder.path,
      intercept(_request, response) {
        left.push(new Promise(resolve => response.once('close', resolve)));
        return true;
      },
    });
    // On a busy machine git may not have sent a request within the first of them.
    for (const seconds of [0.3, 3, 30]) {
      const source = findSource({ url: server.url('x.git'), timeout: `${seconds * 1000}ms` });
      const fetched = repositoryIn(remote.stateDir).fetchLatest(source, undefined, never);
      await expect(fetched).rejects.toMatchObject({
        reason: 'FetchFailed',
        next: 'retry',
        message: expect.stringContaining(
          `it was not read within ${seconds} s; check whether the server is slow, or raise spec.timeout`,
        ),
      });
      if (left.length > 0) break;
    }
    expect(left).not.toEqual([]);
    await Promise.all(left);
  });

  test('an aborted fetch rejects with the reason of its signal, and leaves no git process', async () => {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await using server = await GitServer.start({
      root: remote.folder.path,
      intercept(_request, response) {
        asked.resolve();
        response.once('close', left.resolve);
        return true;
      },
    });
    const caller = new AbortController();
    const fetched = repositoryIn(remote.stateDir).fetchLatest(
      findSource({ url: server.url('x.git') }),
      undefined,
      caller.signal,
    );
    fetched.catch(() => {});
    await asked.promise;
    const reason = new Error('a newer revision');
    caller.abort(reason);
    await expect(fetched).rejects.toBe(reason);
    await left.promise;
    expect(readdirSync(join(remote.stateDir, 'work'))).toEqual([]);
  });
});
