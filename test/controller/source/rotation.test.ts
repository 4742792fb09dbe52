/** Credentials that change while the controller runs, at servers that no longer accept the old ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { GitRepository, SecretData } from '../../../controller/source/index.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { basic, GitServer, type GitServerOptions } from '../../support/git-server.ts';
import { withPeers } from '../../support/peers.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { SshKey } from '../../support/signing-keys.ts';
import { SshServer } from '../../support/ssh-server.ts';
import {
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  ISSUED_CERTIFICATE,
  ISSUED_KEY,
  TEST_AUTHORITY,
  TEST_CERTIFICATE,
  TEST_KEY,
} from '../../support/tls-fixture.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

let folder: TemporaryFolder;
let repository: TestRepository;
let count = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(async () => {
  count += 1;
  await folder.write({ [`repositories-${count}/.keep`]: '' });
  repository = new TestRepository(root(), 'private.git');
  repository.commit({ 'gateway.yaml': 'first' });
});

const root = () => folder.file(`repositories-${count}`);
const stateDir = () => folder.file(`state-${count}`);

interface Rotation {
  readonly url: string;
  readonly before: SecretData;
  readonly after: SecretData;
  /** From now on the server accepts only the new ones. */
  readonly revoke: () => void;
}

/** Values of a Secret that must stay hidden, in every encoding in which they are sent. */
function secretTexts(...secrets: readonly SecretData[]): string[] {
  return secrets.flatMap(({ password, username, bearerToken, identity, 'tls.key': key }) => [
    ...(password === undefined ? [] : [password, basic(`${username}:${password}`).slice('Basic '.length)]),
    ...(bearerToken === undefined ? [] : [bearerToken]),
    ...[identity, key].flatMap(pem => pem?.split('\n').filter(line => line.length > 30) ?? []),
  ]);
}

function textsBelow(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

async function outcome(sources: GitRepository, url: string): Promise<string> {
  const source = findSource({ url, secretRef: { name: 'git' } });
  try {
    return JSON.stringify(filesIn((await sources.fetchLatest(source, undefined, never)).folder));
  } catch (error) {
    const { reason, next, message } = error as { reason: string; next: string; message: string };
    return `${reason} ${next}: ${message.replace(url, 'URL')}`;
  }
}

/** Expects the old credentials, then the new ones from the Secret, without a restart of the controller. */
async function expectRotated(rotation: Rotation, refusal: RegExp): Promise<void> {
  const { url, before, after, revoke } = rotation;
  const secrets: Record<string, SecretData> = { git: before };
  const sources = repositoryIn(stateDir(), secrets, { isLocalAllowed: false });
  expect(await outcome(sources, url)).toBe('{"gateway.yaml":"first"}');
  repository.commit({ 'gateway.yaml': 'second' });
  revoke();
  const refused = await outcome(sources, url);
  expect(refused).toMatch(refusal);
  secrets.git = after;
  expect(await outcome(sources, url)).toBe('{"gateway.yaml":"second"}');
  const kept = textsBelow(stateDir());
  for (const text of secretTexts(before, after)) {
    expect(refused).not.toContain(text);
    expect(kept).not.toContain(text);
  }
}

async function startServer(options: Partial<GitServerOptions> = {}): Promise<GitServer> {
  const server = await GitServer.start({ root: root(), isTls: true, ...options });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const REFUSED =
  /^AuthenticationFailed stalled: URL: it asks for credentials and did not accept these, or got no credentials; check the Secret of spec\.secretRef/;

test('the controller uses a rotated Git password in the next fetch', async () => {
  let user = 'lintel:former-password';
  const server = await startServer({ user: () => user });
  const secret = (password: string) => ({ username: 'lintel', password, 'ca.crt': TEST_CERTIFICATE });
  const revoke = () => {
    user = 'lintel:new-password';
  };
  const url = server.url('private.git');
  await expectRotated({ url, before: secret('former-password'), after: secret('new-password'), revoke }, REFUSED);
});

test('the controller uses a rotated Git token in the next fetch', async () => {
  let token = 'token-of-before';
  const server = await startServer({
    intercept(request, response) {
      if (request.headers.authorization === `Bearer ${token}`) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end(`no such token: ${token}`);
      return true;
    },
  });
  const secret = (bearerToken: string) => ({ bearerToken, 'ca.crt': TEST_CERTIFICATE });
  const revoke = () => {
    token = 'token-of-afterwards';
  };
  const url = server.url('private.git');
  await expectRotated({ url, before: secret(token), after: secret('token-of-afterwards'), revoke }, REFUSED);
});

test('the controller uses a password that replaces a bearer token', async () => {
  let expected = 'Bearer token-of-before';
  const server = await startServer({
    intercept(request, response) {
      if (request.headers.authorization === expected) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return true;
    },
  });
  const after = { username: 'lintel', password: 'new-password', 'ca.crt': TEST_CERTIFICATE };
  const revoke = () => {
    expected = basic('lintel:new-password');
  };
  const before = { bearerToken: 'token-of-before', 'ca.crt': TEST_CERTIFICATE };
  await expectRotated({ url: server.url('private.git'), before, after, revoke }, REFUSED);
});

test('a source stalls when the Git server revokes its token between ls-remote and fetch', async () => {
  let token = 'token-of-before';
  let requests = 0;
  const server = await startServer({
    intercept(request, response) {
      requests += 1;
      // The query takes two requests.
      if (requests === 3) token = 'token-of-afterwards';
      if (request.headers.authorization === `Bearer ${token}`) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return true;
    },
  });
  const secret = (bearerToken: string) => ({ bearerToken, 'ca.crt': TEST_CERTIFICATE });
  const secrets = { git: secret(token) };
  const sources = repositoryIn(stateDir(), secrets, { isLocalAllowed: false });
  const url = server.url('private.git');
  expect(await outcome(sources, url)).toMatch(REFUSED);
  secrets.git = secret('token-of-afterwards');
  expect(await outcome(sources, url)).toBe('{"gateway.yaml":"first"}');
});

test('the controller uses a token that is replaced in the Secret between ls-remote and fetch', async () => {
  const secrets: Record<string, SecretData> = {};
  let requests = 0;
  const tokens = new Set(['token-of-before', 'token-of-afterwards']);
  const used: (string | undefined)[] = [];
  const server = await startServer({
    intercept(request, response) {
      requests += 1;
      used.push(request.headers.authorization);
      if (requests === 2) secrets.git = { bearerToken: 'token-of-afterwards', 'ca.crt': TEST_CERTIFICATE };
      if (tokens.has(request.headers.authorization?.slice('Bearer '.length) ?? '')) return false;
      response.writeHead(401).end();
      return true;
    },
  });
  secrets.git = { bearerToken: 'token-of-before', 'ca.crt': TEST_CERTIFICATE };
  const sources = repositoryIn(stateDir(), secrets, { isLocalAllowed: false });
  const url = server.url('private.git');
  expect(await outcome(sources, url)).toBe('{"gateway.yaml":"first"}');
  repository.commit({ 'gateway.yaml': 'second' });
  tokens.delete('token-of-before');
  expect(await outcome(sources, url)).toBe('{"gateway.yaml":"second"}');
  expect(used.at(-1)).toBe('Bearer token-of-afterwards');
});

test('the controller trusts a replaced CA certificate of the Git server', async () => {
  const server = await startServer();
  await expectRotated(
    {
      url: server.url('private.git'),
      before: { 'ca.crt': TEST_CERTIFICATE },
      after: { 'ca.crt': TEST_AUTHORITY },
      revoke: () => server.changeCertificates({ cert: ISSUED_CERTIFICATE, key: ISSUED_KEY }),
    },
    /^AuthenticationFailed stalled: URL: its certificate is not trusted, or has expired; add the certificate of its authority as ca\.crt to spec\.secretRef$/,
  );
});

test('the controller uses a replaced client certificate', async () => {
  const server = await startServer({ clientAuthorities: TEST_CERTIFICATE });
  await expectRotated(
    {
      url: server.url('private.git'),
      before: { 'ca.crt': TEST_CERTIFICATE, 'tls.crt': TEST_CERTIFICATE, 'tls.key': TEST_KEY },
      after: { 'ca.crt': TEST_CERTIFICATE, 'tls.crt': CLIENT_CERTIFICATE, 'tls.key': CLIENT_KEY },
      revoke: () => server.changeCertificates({ ca: CLIENT_CERTIFICATE }),
    },
    /^(?:AuthenticationFailed stalled: URL: it did not accept the certificate of this client|FetchFailed retry: URL: it ended the TLS connection, perhaps because it does not accept the client certificate)/,
  );
});

test.each<[what: string, secret: SecretData, problem: string]>([
  ['there is no key', { 'tls.crt': TEST_CERTIFICATE }, 'tls.crt and tls.key are both required'],
  ['there is no certificate', { 'tls.key': TEST_KEY }, 'tls.crt and tls.key are both required'],
  [
    'the key belongs to another certificate',
    { 'tls.crt': ISSUED_CERTIFICATE, 'tls.key': TEST_KEY },
    'tls.key is not the key of tls.crt',
  ],
  ['tls.crt is not PEM', { 'tls.crt': 'hello', 'tls.key': TEST_KEY }, 'tls.crt has no PEM certificate'],
  [
    'tls.key is not PEM',
    { 'tls.crt': TEST_CERTIFICATE, 'tls.key': 'hello' },
    'tls.key is not a PEM private key, or has a passphrase; use a key without a passphrase',
  ],
  [
    'the Secret has an SSH key too',
    { 'tls.crt': TEST_CERTIFICATE, 'tls.key': TEST_KEY, identity: 'x', known_hosts: 'y' },
    'it holds several kinds of credentials',
  ],
  [
    'the Secret has unknown keys',
    { token: 'secret-token' },
    'it has none of the keys username, password, bearerToken, identity, known_hosts, ca.crt, tls.crt, tls.key, only "token"',
  ],
])(
  'the controller refuses a client certificate in a Git Secret before any request: %s',
  async (_what, secret, problem) => {
    const sources = repositoryIn(stateDir(), { git: secret });
    expect(await outcome(sources, 'https://127.0.0.1:1/private.git')).toBe(
      `AuthenticationFailed stalled: Secret team/git: ${problem.split('; ')[0]}; check the Secret of spec.secretRef, and whether the user may read the repository`,
    );
  },
);

withPeers('sshd', 'ssh', 'ssh-keygen').describe('ssh', () => {
  test('the controller uses a replaced SSH client key', async () => {
    const server = await SshServer.start(folder.file(`sshd-${count}`));
    onTestFinished(() => server[Symbol.asyncDispose]());
    const [former, next] = ['former', 'next'].map(name => new SshKey(folder.path, `${name}-${count}`)) as [
      SshKey,
      SshKey,
    ];
    server.letIn(former);
    await expectRotated(
      {
        url: server.url(repository.path),
        before: { identity: former.privateKey, known_hosts: server.knownHosts() },
        after: { identity: next.privateKey, known_hosts: server.knownHosts() },
        revoke() {
          server.letInNone();
          server.letIn(next);
        },
      },
      /^AuthenticationFailed stalled: URL: it does not accept the key; check the Secret of spec\.secretRef/,
    );
  });

  test('the controller trusts a replaced SSH host key', async () => {
    const server = await SshServer.start(folder.file(`sshd-${count}`));
    onTestFinished(() => server[Symbol.asyncDispose]());
    const key = new SshKey(folder.path, `client-${count}`);
    server.letIn(key);
    const before = { identity: key.privateKey, known_hosts: server.knownHosts() };
    const after = { ...before };
    await expectRotated(
      {
        url: server.url(repository.path),
        before,
        after,
        revoke() {
          server.changeHostKey();
          after.known_hosts = server.knownHosts();
        },
      },
      /^AuthenticationFailed stalled: URL: the key of the host is not among the known ones; /,
    );
  });
});
