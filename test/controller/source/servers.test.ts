/** How we authenticate to a server, how we verify it, and that no other process gets the credentials. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SecretData } from '../../../controller/source/index.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { basic, GitServer } from '../../support/git-server.ts';
import { withPeers } from '../../support/peers.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { SshKey } from '../../support/signing-keys.ts';
import { SshServer } from '../../support/ssh-server.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

const PASSWORD = 'hunter2-püß:"%';
const TOKEN = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a';

let folder: TemporaryFolder;
let repository: TestRepository;
let stateDir: string;
let count = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  mkdirSync(folder.file('repositories'));
  repository = new TestRepository(folder.file('repositories'), 'private.git');
  repository.commit({ 'gateway.yaml': 'private' });
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(() => {
  count += 1;
  stateDir = folder.file(`state-${count}`);
});

/** Reads it with a Secret, as the controller does in a cluster. */
function newest(url: string, secret: SecretData | null, options = { isLocalAllowed: false }) {
  const spec = { url, ...(secret !== null && { secretRef: { name: 'git' } }) };
  return repositoryIn(stateDir, secret === null ? {} : { git: secret }, options).fetchLatest(
    findSource(spec),
    undefined,
    never,
  );
}

async function expectRefused(fetched: Promise<unknown>, message: string): Promise<void> {
  const error = await fetched.then(
    () => undefined,
    error => error,
  );
  expect(error).toMatchObject({ reason: 'AuthenticationFailed', next: 'stalled' });
  expect(error.message).toBe(message);
  for (const secret of [PASSWORD, TOKEN, Buffer.from(`lintel:${PASSWORD}`).toString('base64'), 'PRIVATE KEY'])
    expect(error.message).not.toContain(secret);
}

/** The arguments, and for each what it was: of all processes that run now. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(id => {
      try {
        return [readFileSync(`/proc/${id}/cmdline`, 'utf8')];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

/** All that is in files below a folder. */
function textsIn(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('https', () => {
  let server: GitServer;
  let expected: string;
  let onRequest = () => {};

  beforeAll(async () => {
    server = await GitServer.start({
      root: folder.file('repositories'),
      isTls: true,
      intercept(request, response) {
        onRequest();
        if (request.headers.authorization === expected) return false;
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return true;
      },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    expected = basic(`lintel:${PASSWORD}`);
    onRequest = () => {};
  });

  const url = () => server.url('private.git');
  const login = { username: 'lintel', password: PASSWORD, 'ca.crt': TEST_CERTIFICATE };

  test.each<[what: string, secret: SecretData, header: string]>([
    ['a user name and a password', login, basic(`lintel:${PASSWORD}`)],
    [
      'with the end of a line',
      { ...login, username: 'lintel\n', password: `${PASSWORD}\r\n` },
      basic(`lintel:${PASSWORD}`),
    ],
    ['a token', { bearerToken: `${TOKEN}\n`, 'ca.crt': TEST_CERTIFICATE }, `Bearer ${TOKEN}`],
  ])('%s', async (_what, secret, header) => {
    expected = header;
    expect(filesIn((await newest(url(), secret)).folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  const see = 'see the Secret of spec.secretRef, and whether its user may read the repository';

  test.each<[what: string, secret: SecretData]>([
    ['another password', { ...login, password: 'guess' }],
    ['a token that has expired', { bearerToken: TOKEN, 'ca.crt': TEST_CERTIFICATE }],
    ['none', { 'ca.crt': TEST_CERTIFICATE }],
  ])('%s', async (_what, secret) => {
    const refused = 'it asks for credentials and did not accept these, or was given none';
    await expectRefused(newest(url(), secret), `${url()}: ${refused}; ${see}`);
  });

  test.each([
    ['hello', 'holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----'],
    [TEST_CERTIFICATE.slice(0, 200), 'holds a certificate that is broken: encode it again as PEM'],
    [TEST_CERTIFICATE + TEST_KEY, 'holds a private key, which must not be where certificates are trusted'],
  ])('an authority that cannot be used: %#', async (pem, cause) => {
    server.requests.length = 0;
    await expect(newest(url(), { ...login, 'ca.crt': pem })).rejects.toThrow(`ca.crt ${cause}`);
    expect(server.requests).toEqual([]);
  });

  test.each<[what: string, secret: SecretData | null]>([
    ['no authority', { username: 'lintel', password: PASSWORD }],
    ['another authority', { ...login, 'ca.crt': TEST_AUTHORITY }],
    ['no Secret', null],
  ])('a server with a certificate of nobody that is trusted: %s', async (_what, secret) => {
    server.requests.length = 0;
    await expectRefused(
      newest(url(), secret),
      `${url()}: its certificate is not trusted, or its time is over; put the certificate of its authority as ca.crt in spec.secretRef`,
    );
    expect(server.requests).toEqual([]);
  });

  test('the authority of the Secret counts in place of those of the machine', async () => {
    await folder.write({ 'ca.pem': TEST_AUTHORITY });
    vi.stubEnv('GIT_SSL_CAINFO', folder.file('ca.pem'));
    const tree = await newest(url(), login);
    vi.unstubAllEnvs();
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  test.each<[what: string, secret: SecretData, problem: string]>([
    ['half of them', { username: 'lintel' }, 'username and password are wanted both'],
    ['the other half', { password: PASSWORD }, 'username and password are wanted both'],
    ['two kinds', { ...login, bearerToken: TOKEN }, 'it holds several kinds of credentials'],
    [
      'a token with a line break',
      { bearerToken: `${TOKEN}\nX-Evil: 1` },
      'bearerToken has a character that no token has',
    ],
    [
      'a user name with a colon',
      { ...login, username: 'a:b' },
      'username has a colon or a control character, which basic authentication cannot carry',
    ],
    [
      'a password with a line break',
      { ...login, password: `a\nb` },
      'password has a control character, which basic authentication cannot carry',
    ],
  ])('a Secret with %s', async (_what, secret, problem) => {
    server.requests.length = 0;
    await expectRefused(newest(url(), secret), `Secret team/git: ${problem}; ${see}`);
    expect(server.requests).toEqual([]);
  });

  test.runIf(process.platform === 'linux').each<[what: string, secret: SecretData, secretTexts: string[]]>([
    ['a password', login, [PASSWORD, basic(`lintel:${PASSWORD}`).slice('Basic '.length)]],
    ['a token', { bearerToken: TOKEN, 'ca.crt': TEST_CERTIFICATE }, [TOKEN]],
  ])('%s is in the arguments of no process and in no file', async (what, secret, secretTexts) => {
    expected = what === 'a token' ? `Bearer ${TOKEN}` : expected;
    const seen = new Set<string>();
    let files = '';
    onRequest = () => {
      for (const line of commandLines()) seen.add(line);
      files += textsIn(stateDir);
    };
    await newest(url(), secret);
    files += textsIn(stateDir);
    const lines = [...seen].filter(line => line.includes(url()));
    expect(
      lines.some(line => line.includes('remote-https')),
      'the process that sends them was seen',
    ).toBe(true);
    for (const text of secretTexts) {
      for (const line of seen) expect(line).not.toContain(text);
      expect(files).not.toContain(text);
    }
  });

  test('a redirect does not take them elsewhere', async () => {
    await using other = await GitServer.start({ root: folder.file('repositories'), isTls: true });
    await using first = await GitServer.start({
      root: folder.file('repositories'),
      isTls: true,
      intercept(request, response) {
        response.writeHead(307, { location: `${other.origin}${request.url}` }).end();
        return true;
      },
    });
    await expect(newest(first.url('private.git'), login)).rejects.toThrow(
      `${first.url('private.git')}: it redirects, which is not followed; write in spec.url the address that it leads to`,
    );
    expect(first.requests[0]?.authorization).toBe(basic(`lintel:${PASSWORD}`));
    expect(other.requests).toEqual([]);
  });

  test('a mirror gives nothing to those whom the server refuses', async () => {
    const commit = repository.git(['rev-parse', 'main']);
    const spec = { url: url(), ref: { commit } };
    const secrets = { good: login, bad: { ...login, password: 'guess' } };
    const sources = repositoryIn(stateDir, secrets, { isLocalAllowed: false });
    await sources.fetchLatest(findSource({ ...spec, secretRef: { name: 'good' } }, { name: 'a' }), undefined, never);
    const other = findSource({ ...spec, secretRef: { name: 'bad' } }, { name: 'b' });
    await expect(sources.fetchLatest(other, undefined, never)).rejects.toMatchObject({
      reason: 'AuthenticationFailed',
    });
  });
});

withPeers('sshd', 'ssh', 'ssh-keygen').describe('ssh', () => {
  let server: SshServer;
  let key: SshKey;
  let onConnection = () => {};

  beforeAll(async () => {
    server = await SshServer.start(folder.file('sshd'), () => onConnection());
    key = new SshKey(folder.path, 'deploy-key');
    server.letIn(key);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    onConnection = () => {};
  });

  const url = () => server.url(repository.path);
  const secret = () => ({ identity: key.privateKey, known_hosts: server.knownHosts() });

  test('a key that is let in, on a host that is known', async () => {
    const head = repository.git(['rev-parse', 'main']);
    const tree = await newest(url(), secret());
    expect(tree.revision).toBe(`main@sha1:${head}`);
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  test('a key without the end of its last line', async () => {
    const tree = await newest(url(), { ...secret(), identity: key.privateKey.trimEnd() });
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  const scan =
    'if the host is the right one, put the line that ssh-keyscan gives of it in known_hosts of spec.secretRef';

  test.each<[what: string, knownHosts: () => string]>([
    ['another key', () => server.knownHosts(new SshKey(folder.path, 'other-host'))],
    ['other hosts', () => `git.example.com ${key.publicKey}\n`],
    ['a key that was revoked', () => `@revoked ${server.knownHosts()}`],
  ])('a host that is known by %s is refused', async (_what, knownHosts) => {
    await expectRefused(
      newest(url(), { ...secret(), known_hosts: knownHosts() }),
      `${url()}: the key of the host is not among the known ones; ${scan}`,
    );
  });

  test('a key that is not let in', async () => {
    const identity = new SshKey(folder.path, 'stranger').privateKey;
    const see = 'see the Secret of spec.secretRef, and whether its user may read the repository';
    await expectRefused(newest(url(), { ...secret(), identity }), `${url()}: it does not let the key in; ${see}`);
    const broken = key.privateKey.replace(/\n[^\n]{20}/, '\n');
    await expectRefused(
      newest(url(), { ...secret(), identity: broken }),
      `${url()}: the key is none that ssh can read, or it has a passphrase; ${see}`,
    );
  });

  test.each<[what: string, secret: () => SecretData | null, message: () => string]>([
    ['without a Secret', () => null, () => `${url()}: ssh needs a key and the keys of the host; `],
    [
      'without known_hosts',
      () => ({ identity: key.privateKey }),
      () => 'Secret team/git: it has an identity and no known_hosts, without which no host is trusted; ',
    ],
    [
      'with an empty known_hosts',
      () => ({ ...secret(), known_hosts: ' \n' }),
      () => `${url()}: known_hosts is empty, so no host can be trusted; `,
    ],
    [
      'with a password',
      () => ({ username: 'x', password: 'y' }),
      () => `${url()}: ssh needs a key and the keys of the host; `,
    ],
  ])('%s nobody is asked', async (_what, secret, message) => {
    const before = server.connections;
    await expect(newest(url(), secret())).rejects.toMatchObject({ reason: 'AuthenticationFailed', next: 'stalled' });
    await expect(newest(url(), secret())).rejects.toThrow(message());
    expect(server.connections).toBe(before);
  });

  test('a key is of no use for https', async () => {
    await expect(newest('https://127.0.0.1:1/x.git', secret())).rejects.toThrow('a key for ssh is of no use here');
  });

  test('the keys, agents and settings of the user that the controller runs as count for nothing', async () => {
    await folder.write({
      'home/.ssh/config': `Host *\n  ProxyCommand touch ${folder.file('proxied')}\n  IdentityFile ${key.file}\n`,
      'home/.ssh/known_hosts': server.knownHosts(),
    });
    vi.stubEnv('HOME', folder.file('home'));
    vi.stubEnv('GIT_SSH_COMMAND', `touch ${folder.file('proxied')}`);
    vi.stubEnv('SSH_AUTH_SOCK', folder.file('agent'));
    const identity = new SshKey(folder.path, 'stranger-2').privateKey;
    await expect(newest(url(), { ...secret(), identity })).rejects.toThrow('it does not let the key in');
    vi.unstubAllEnvs();
    expect(readdirSync(folder.path)).not.toContain('proxied');
  });

  test.runIf(process.platform === 'linux')(
    'the key is in the arguments of no process, and gone afterwards',
    async () => {
      const secretLine = key.privateKey.split('\n')[2] ?? '';
      const seen: string[] = [];
      let during = '';
      onConnection = () => {
        seen.push(...commandLines());
        during += textsIn(stateDir);
      };
      await newest(url(), secret());
      const ssh = seen.find(line => line.startsWith('ssh\0-F\0/dev/null'));
      expect(ssh, 'the process that has it was seen').toBeDefined();
      expect(ssh).toContain('StrictHostKeyChecking=yes');
      expect(during, 'it was in a file').toContain(secretLine);
      for (const line of seen) expect(line).not.toContain(secretLine);
      expect(textsIn(stateDir)).not.toContain(secretLine);
      expect(readdirSync(join(stateDir, 'work'))).toEqual([]);
    },
  );

  test('a server that says nothing is left by all processes when the caller gives up, and the key goes too', async () => {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const silent = createServer(socket => {
      asked.resolve();
      socket.on('error', () => {}).resume();
      socket.once('close', () => left.resolve());
    });
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const caller = new AbortController();
    const source = findSource({ url: `ssh://git@127.0.0.1:${port}/x.git`, secretRef: { name: 'git' } });
    const fetched = repositoryIn(stateDir, { git: secret() }).fetchLatest(source, undefined, caller.signal);
    fetched.catch(() => {});
    await asked.promise;
    const reason = new Error('a newer revision');
    caller.abort(reason);
    await expect(fetched).rejects.toBe(reason);
    await left.promise;
    expect(readdirSync(join(stateDir, 'work'))).toEqual([]);
    await new Promise(resolve => silent.close(resolve));
  });

  test.each<[what: string, settings: readonly string[], options: string, expected: RegExp]>([
    [
      'a login script that greets',
      [],
      'command="echo Welcome to this server" ',
      /^FetchFailed: what answers there writes something else than the protocol of git, as a proxy or a login script of the server does; /,
    ],
    [
      'a forge that says on the side why not',
      [],
      'command="echo \\"remote: ERROR: The project you were looking for could not be found\\" >&2; exit 1" ',
      /^FetchFailed: git failed: remote: ERROR: The project you were looking for could not be found$/,
    ],
    [
      'no way to agree on keys',
      ['KexAlgorithms diffie-hellman-group14-sha1'],
      '',
      /^FetchFailed: (?:ssh accepts no key exchange method that the server offers|the server ended the ssh connection without a word); /,
    ],
  ])('a server with %s says what is wrong', async (what, settings, options, expected) => {
    await using other = await SshServer.start(folder.file(`sshd-${what.replaceAll(' ', '-')}`), () => {}, settings);
    other.letIn(key, options);
    const address = other.url(repository.path);
    const said = await newest(address, { ...secret(), known_hosts: other.knownHosts() }).then(
      () => 'read',
      error => `${error.reason}: ${error.message.replace(`${address}: `, '')}`,
    );
    expect(said).toMatch(expected);
  });

  test('whose path the server does not have', async () => {
    const nowhere = server.url('/srv/nowhere.git');
    await expect(newest(nowhere, secret())).rejects.toThrow(
      `${nowhere}: there is no repository, or it is hidden from this user; correct spec.url, and see whether spec.secretRef may read it`,
    );
  });
});

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
  ])('%s is refused, and not shown', async url => {
    const error = await newest(url, null, inCluster).catch(error => error);
    expect(error).toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
    expect(error.message).toMatch(/^the address of a git repository: it .*; correct the spec of the source$/);
    expect(error.message).not.toContain('hunter2');
  });

  test('of this machine, where that is allowed', async () => {
    for (const url of [repository.path, `file://${repository.path}`])
      expect(filesIn((await newest(url, null, { isLocalAllowed: true })).folder)).toEqual({
        'gateway.yaml': 'private',
      });
  });
});

describe('what may be better at the next try', () => {
  test.each<[what: string, status: number]>([['HTTP 503', 503]])('%s', async (_what, status) => {
    await using server = await GitServer.start({
      root: folder.path,
      intercept(_request, response) {
        response.writeHead(status).end();
        return true;
      },
    });
    await expect(newest(server.url('x.git'), null, { isLocalAllowed: true })).rejects.toMatchObject({
      reason: 'FetchFailed',
      next: 'retry',
    });
  });

  test('a server that does not answer within spec.timeout', async () => {
    const left: Promise<void>[] = [];
    await using server = await GitServer.start({
      root: folder.path,
      intercept(_request, response) {
        left.push(new Promise(resolve => response.once('close', resolve)));
        return true;
      },
    });
    // On a busy machine git may not even have asked within the first of them.
    for (const seconds of [0.3, 3, 30]) {
      const source = findSource({ url: server.url('x.git'), timeout: `${seconds * 1000}ms` });
      const fetched = repositoryIn(stateDir).fetchLatest(source, undefined, never);
      await expect(fetched).rejects.toMatchObject({
        reason: 'FetchFailed',
        next: 'retry',
        message: expect.stringContaining(
          `it was not read within ${seconds} s; see whether the server is slow, or give spec.timeout more`,
        ),
      });
      if (left.length > 0) break;
    }
    expect(left).not.toEqual([]);
    await Promise.all(left);
  });

  test('an aborted fetch rejects with the reason of its signal, and leaves no process', async () => {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await using server = await GitServer.start({
      root: folder.path,
      intercept(_request, response) {
        asked.resolve();
        response.once('close', left.resolve);
        return true;
      },
    });
    const caller = new AbortController();
    const fetched = repositoryIn(stateDir).fetchLatest(
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
    expect(readdirSync(join(stateDir, 'work'))).toEqual([]);
  });
});
