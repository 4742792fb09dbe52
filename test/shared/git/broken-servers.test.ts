/** Servers that close the connection, break TLS, send damaged or endless responses, or try to make their text look like git's. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { brokenAfter, type Fault, FaultyWire, flippedAt } from '../../support/faulty-wire.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { read } from './reading.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder({ 'ca.pem': TEST_CERTIFICATE });
});
afterAll(() => folder[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

const BROKEN_OFF =
  'it cannot be reached, or the connection broke off; check the address, the name service and the network';
const NO_HANDSHAKE =
  'it refuses the TLS handshake; check whether it requires a client certificate, a different client certificate, or an old version of TLS';

/** A record of TLS 1.2 with the fatal alert `handshake_failure` (RFC 5246, section 7.2). */
const HANDSHAKE_FAILURE = Buffer.from([21, 3, 3, 0, 2, 2, 40]);

const messageOf = (repository: string, limits = {}): Promise<string> =>
  read(folder, { repository }, { limits }).then(
    () => 'it was read',
    error => error.message,
  );

/** Starts a TCP server and returns it with its address; `await using` stops it. */
async function listening(server: Server, host = '127.0.0.1') {
  const sockets = new Set<Socket>();
  server.on('connection', socket => sockets.add(socket.on('error', () => {})));
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const tls = (options: TlsOptions, onSocket: (socket: Socket) => void = () => {}) =>
  createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY, ...options }, onSocket).on(
    'tlsClientError',
    (_error, socket) => socket.destroy(),
  );

describe('TLS', () => {
  beforeEach(() => void vi.stubEnv('GIT_SSL_CAINFO', folder.file('ca.pem')));

  test.each<[what: string, server: () => Server, cause: string]>([
    ['closes the connection before the TLS handshake', () => createServer(socket => socket.destroy()), BROKEN_OFF],
    [
      'closes the connection in the TLS handshake',
      () => createServer(socket => socket.once('data', () => socket.destroy())),
      BROKEN_OFF,
    ],
    ['closes the connection after the TLS handshake', () => tls({}, socket => socket.destroy()), BROKEN_OFF],
    [
      'does not speak TLS',
      () => createServer(socket => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
      'the server does not use TLS; check the address and its port',
    ],
    [
      'refuses the TLS handshake',
      () => createServer(socket => void socket.once('data', () => socket.write(HANDSHAKE_FAILURE))),
      NO_HANDSHAKE,
    ],
  ])('the error for an HTTPS Git server says that the server %s', async (_what, make, cause) => {
    await using server = await listening(make());
    const url = `https://127.0.0.1:${server.port}/a.git`;
    expect(await messageOf(url)).toBe(`${url}: ${cause}`);
  });

  test('the error for a Git server that requires a client certificate says that the TLS handshake failed', async () => {
    await using server = await listening(tls({ requestCert: true, rejectUnauthorized: true }));
    const url = `https://127.0.0.1:${server.port}/a.git`;
    // If git is still writing when the server closes, it only reports a closed connection.
    expect([`${url}: ${NO_HANDSHAKE}`, `${url}: ${BROKEN_OFF}`]).toContain(await messageOf(url));
  });

  test('the error for a Git server with the certificate of another host says what to do', async () => {
    await using server = await listening(tls({}), '127.0.0.2');
    const url = `https://127.0.0.2:${server.port}/a.git`;
    expect(await messageOf(url)).toBe(
      `${url}: its certificate is of another host; write the host of the certificate in the address, or have one issued for this host`,
    );
  });
});

describe('an address whose words are those of a failure', () => {
  test.each(['tls-certificate-problem.git', 'connection-refused.git', 'returned-error:-401.git'])(
    'the error for a Git server that answers 503 names no other failure, although the repository address %s contains the name of one',
    async name => {
      await using server = await GitServer.start({
        root: folder.path,
        intercept(_request, response) {
          response.writeHead(503).end();
          return true;
        },
      });
      const url = server.url(name);
      expect(await messageOf(url)).toBe(`${url}: it answered HTTP 503; see the logs of the git server`);
    },
  );
});

test.each([{}, { 'retry-after': '120' }])(
  'the error for a Git server that answers HTTP 429 says that the server limits requests, with the headers %j',
  async headers => {
    await using server = await GitServer.start({
      root: folder.path,
      intercept(_request, response) {
        response.writeHead(429, headers).end();
        return true;
      },
    });
    const url = server.url('a.git');
    expect(await messageOf(url)).toBe(
      `${url}: it received too many requests (HTTP 429); send fewer requests, or set credentials: most forges allow more requests with credentials`,
    );
  },
);

describe('a transfer', () => {
  let server: GitServer;
  let wire: FaultyWire;
  beforeAll(async () => {
    const repository = new TestRepository(folder.path, 'noise.git');
    repository.commit({ 'registry.json': 'x', noise: randomBytes(400_000) });
    server = await GitServer.start({ root: folder.path });
    wire = await FaultyWire.start(server.origin);
  });
  afterAll(async () => {
    await wire[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test.each<[what: string, fault: Fault, cause: string]>([
    ['that ends in the first answer', brokenAfter(10), BROKEN_OFF],
    ['that ends in the pack', brokenAfter(200_000), BROKEN_OFF],
    [
      'that has a changed bit in the pack',
      flippedAt(200_000),
      'the data that it sent is damaged; run git fsck in the repository on the server',
    ],
  ])('the error for a broken Git transfer names the cause: a transfer %s', async (_what, fault, cause) => {
    wire.fault = fault;
    const url = wire.url(server.url('noise.git'));
    expect(await messageOf(url)).toBe(`${url}: ${cause}`);
    expect(readdirSync(folder.file('cache'))).toEqual([]);
  });
});

test.each<[name: string, damage: (file: string) => void]>([
  ['lost', file => rmSync(file)],
  ['damaged', file => writeFileSync(file, 'no object')],
])(
  'the error for a Git server whose repository has a %s object names the command that checks the repository',
  async (name, damage) => {
    const repository = new TestRepository(folder.path, `${name}.git`);
    repository.commit({ 'registry.json': 'x', other: name });
    const id = repository.git(['rev-parse', 'main:other']);
    const file = join(repository.path, 'objects', id.slice(0, 2), id.slice(2));
    chmodSync(file, 0o600);
    damage(file);
    await using server = await GitServer.start({ root: folder.path });
    const url = server.url(`${name}.git`);
    expect(await messageOf(url)).toBe(`${url}: the server cannot read all of it; run git fsck in the repository there`);
  },
);

test('the error of a Git read does not confuse text that the server sends with messages of the local git program', async () => {
  const repository = new TestRepository(folder.path, 'words.git');
  const commit = repository.commit({ 'registry.json': 'x' });
  const words = 'Host key verification failed\nfatal: Authentication failed\nSSL certificate problem: none\n';
  await using server = await GitServer.start({
    root: folder.path,
    intercept(request, response) {
      if (request.method !== 'POST') return false;
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
        if (!Buffer.concat(chunks).includes('command=fetch')) response.end(`${packet(`${commit} HEAD\n`)}0000`);
        else response.end(`${packet('packfile\n')}${packet(`\u0002${words}`)}`);
      });
      return true;
    },
  });
  const url = server.url('words.git');
  expect(await messageOf(url)).toContain(`${url}: the answer is not in the protocol of git`);
});

describe('answers without an end', () => {
  const answering = (answer: (response: ServerResponse) => void) =>
    GitServer.start({
      root: folder.path,
      intercept(_request, response) {
        answer(response);
        return true;
      },
    });
  const head = { 'content-type': 'application/x-git-upload-pack-advertisement' };

  test('a Git read gives up after the time limit if the answer arrives byte by byte', async () => {
    await using server = await answering(response => {
      response.writeHead(200, head);
      const timer = setInterval(() => response.write('0'), 50);
      response.once('close', () => clearInterval(timer));
    });
    expect(await messageOf(server.url('a.git'), { timeMs: 1_500 })).toContain('it was not read within 1.5 s');
  });

  test('a Git read stops at an answer that unpacks to a thousand times its size', async () => {
    const start = `${packet('# service=git-upload-pack\n')}0000`;
    const body = gzipSync(Buffer.concat([Buffer.from(start), Buffer.alloc(64 * 1024 * 1024, 'f')]));
    expect(body.length).toBeLessThan(100_000);
    await using server = await answering(response =>
      response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(body),
    );
    expect(await messageOf(server.url('a.git'), { allocationBytes: 16 * 1024 * 1024 })).toMatch(
      /: (?:it has too many refs whose names end in HEAD|an object in it is too large to be held in memory)/,
    );
  });
});

/** One line of git's protocol, prefixed with its length. */
function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}
