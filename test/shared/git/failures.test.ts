/** What becomes of a read that is aborted or times out, and the errors about servers and machines with which git cannot work. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { explainFailure } from '../../../shared/git/git-error.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { eventually, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';
import { read } from './reading.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

/** A server that accepts every request and returns scripted responses. */
const answering = (answer: (response: ServerResponse) => void) =>
  GitServer.start({
    root: folder.path,
    intercept(_request, response) {
      answer(response);
      return true;
    },
  });

describe('a server that never answers', () => {
  test('an aborted read of a Git server that never answers leaves no process', async () => {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await using server = await answering(response => {
      asked.resolve();
      response.once('close', left.resolve);
    });
    const caller = new AbortController();
    const reading = read(folder, { repository: server.url('a.git') }, { signal: caller.signal });
    reading.catch(() => {});
    await asked.promise;
    const reason = new Error('shut down');
    caller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    // The process that sends the request is git's child: its connection closes when the signal has reached it too.
    await left.promise;
    expect(readdirSync(folder.file('cache'))).toEqual([]);
  });

  test('a read of a Git server that never answers is given up after the time limit', async () => {
    const left = Promise.withResolvers<void>();
    await using server = await answering(response => response.once('close', left.resolve));
    const reading = read(folder, { repository: server.url('a.git') }, { limits: { timeMs: 500 } });
    await expect(reading).rejects.toThrow(
      `${server.url('a.git')}: it was not read within 0.5 s; see whether the git server is slow or the repository large`,
    );
  });
});

test('when the caller of a Git read aborts, a git process that ignores every signal but SIGKILL ends, and so does the process it started', async () => {
  const deaf = "trap '' HUP INT TERM";
  const helper = `(${deaf}; while :; do sleep 1; done) &`;
  await folder.write({
    'deaf/git': `#!/bin/sh\n${deaf}\n${helper}\necho "$$ $!" >'${folder.file('started')}'\nwait\n`,
  });
  chmodSync(folder.file('deaf/git'), 0o755);
  vi.stubEnv('PATH', `${folder.file('deaf')}:/usr/bin:/bin`);
  const caller = new AbortController();
  const reading = read(folder, { repository: '/srv/git/catalog.git' }, { signal: caller.signal });
  reading.catch(() => {});
  const started = () => readFileSync(folder.file('started'), 'utf8').trim().split(' ').map(Number);
  await eventually(() => existsSync(folder.file('started')) && started().length === 2);
  const reason = new Error('shut down');
  caller.abort(reason);
  await expect(reading).rejects.toBe(reason);
  // A killed process may take a moment to exit.
  await eventually(() => !started().some(isRunning));
});

/** A zombie process does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a Git read that was aborted before it began starts no process', async () => {
  await using server = await answering(() => {});
  const signal = AbortSignal.abort(new Error('shut down'));
  await expect(read(folder, { repository: server.url('a.git') }, { signal })).rejects.toThrow('shut down');
  expect(server.requests).toEqual([]);
});

test('the error of a Git read on a machine without git names the git version to install', async () => {
  mkdirSync(folder.file('empty'));
  vi.stubEnv('PATH', folder.file('empty'));
  await expect(read(folder, { repository: '/srv/git/catalog.git' })).rejects.toThrow(
    'file:///srv/git/catalog.git: no git was found on PATH; install git 2.32 or later',
  );
});

test('the error of a Git read says that another program killed git', async () => {
  await folder.write({ 'killed/git': '#!/bin/sh\nkill -9 $$\n' });
  chmodSync(folder.file('killed/git'), 0o755);
  vi.stubEnv('PATH', `${folder.file('killed')}:/usr/bin:/bin`);
  await expect(read(folder, { repository: '/srv/git/catalog.git' })).rejects.toThrow(
    'file:///srv/git/catalog.git: another program killed git; check the memory limit of the container or machine',
  );
});

test.each<[name: string, answer: (response: ServerResponse) => void, cause: string]>([
  [
    'HTTP 404',
    response => response.writeHead(404).end(),
    'the repository does not exist, or this user may not see it; check the address and auth',
  ],
  [
    'HTTP 403',
    response => response.writeHead(403).end(),
    'the user may not read it (HTTP 403); give the user read access',
  ],
  ['HTTP 503', response => response.writeHead(503).end(), 'it answered HTTP 503; see the logs of the git server'],
  [
    'a web page',
    response => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>\n<html>\n<body>\n'),
    'the server does not speak the smart HTTP protocol of git; check the address',
  ],
  [
    'a broken connection',
    response => response.destroy(),
    'it cannot be reached, or the connection broke off; check the address, the name service and the network',
  ],
])('the error of a Git read says what is wrong with the answer of the server: %s', async (_name, answer, cause) => {
  await using server = await answering(answer);
  const error = await read(folder, { repository: server.url('a.git') }).catch(error => error);
  expect(error.message).toBe(`${server.url('a.git')}: ${cause}`);
});

test('a Git read refuses a Git server that offers only the dumb HTTP protocol', async () => {
  const repository = new TestRepository(folder.path, 'dumb.git');
  const commit = repository.commit({ 'registry.json': 'x' });
  await using server = await GitServer.start({
    root: folder.path,
    intercept(request, response) {
      if (request.url?.includes('/info/refs') !== true) return false;
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${commit}\trefs/heads/main\n`);
      return true;
    },
  });
  for (const ref of [{ type: 'branch', name: 'main' } as const, { type: 'commit', name: commit } as const])
    await expect(read(folder, { repository: server.url('dumb.git'), ref })).rejects.toThrow(
      'does not speak the smart HTTP protocol of git',
    );
});

test('a Git read accepts a certificate of a configured CA', async () => {
  const repository = new TestRepository(folder.path, 'tls.git');
  repository.commit({ 'registry.json': 'x' });
  await using server = await GitServer.start({ root: folder.path, isTls: true });
  await expect(read(folder, { repository: server.url('tls.git') })).rejects.toThrow(
    `${server.url('tls.git')}: its certificate is not trusted, or has expired; add its authority to the trusted authorities of the machine, or name a file of authorities in GIT_SSL_CAINFO`,
  );
  await folder.write({ 'ca.pem': TEST_CERTIFICATE });
  vi.stubEnv('GIT_SSL_CAINFO', folder.file('ca.pem'));
  expect(await read(folder, { repository: server.url('tls.git') })).toMatchObject({ text: 'x' });
});

test('the error of a Git read says that no server listens at the address', async () => {
  const server = await answering(() => {});
  const url = server.url('a.git');
  await server[Symbol.asyncDispose]();
  await expect(read(folder, { repository: url })).rejects.toThrow('it cannot be reached, or the connection broke off');
});

test('the error of a Git read of a folder that is no repository says that the repository does not exist', async () => {
  mkdirSync(folder.file('folder'));
  await expect(read(folder, { repository: folder.file('folder') })).rejects.toThrow(
    `file://${folder.file('folder')}: the repository does not exist`,
  );
});

test.runIf(process.getuid?.() === 0)(
  'a Git read refuses a local repository of another user of the machine',
  async () => {
    const repository = new TestRepository(folder.path, 'foreign.git');
    repository.commit({ 'registry.json': 'x' });
    chownSync(repository.path, 12_345, 12_345);
    await expect(read(folder, { repository: repository.path })).rejects.toThrow(
      'it belongs to another user of this machine',
    );
  },
);

describe('the message of git', () => {
  test.each([
    ['fatal: the last words\nhint: more\n', 'git failed: fatal: the last words'],
    ['remote: \u001b[2Jx\nfatal: a\u001b[31m\u202eb\n', 'git failed: fatal: a?[31m?b'],
    [`error: ${'x'.repeat(1000)}`, `git failed: error: ${'x'.repeat(293)}`],
    ['', 'git failed: it gives no reason'],
    [
      'Unable to negotiate with 192.0.2.1 port 22: no matching host key type found. Their offer: ssh-dss\nfatal: Could not read from remote repository.\n',
      'ssh accepts no host key type that the server offers; update the ssh server',
    ],
    [
      'fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n',
      'the server ended the ssh connection without a reason; see its logs, and check whether the server and this ssh have algorithms in common',
    ],
    ...[
      'Send failure: Broken pipe',
      'Recv failure: Connection was reset',
      'Send failure: Protocol not available',
      // The server closed the connection before curl asked the socket for its addresses.
      'getpeername() failed with errno 107: Transport endpoint is not connected',
      'getsockname() failed with errno 22: Invalid argument',
    ].map(words => [
      `fatal: unable to access 'https://git.example.com/a/': ${words}`,
      'it cannot be reached, or the connection broke off; check the address, the name service and the network',
    ]),
    [
      'error: RPC failed; curl 28 Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds\nfatal: protocol error: bad pack header',
      'it cannot be reached, or the connection broke off; check the address, the name service and the network',
    ],
    ['fatal: hunter2 and aHVudGVyMg==', 'git failed: fatal: *** and ***'],
  ])(
    'the error of a Git read explains the message of the git program, and contains no credentials: %j',
    (stderr, cause) => {
      expect(explainFailure('https://git.example.com/a', stderr, ['hunter2', 'aHVudGVyMg==']).message).toBe(
        `https://git.example.com/a: ${cause}`,
      );
    },
  );
});
