/** A repository that requires authentication: credentials come from files, and no other process sees them. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { basic, GitServer } from '../../support/git-server.ts';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM, run, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { SshKey } from '../../support/signing-keys.ts';
import { SshServer } from '../../support/ssh-server.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const PASSWORD = 'hunter2-püß:"%';

let folder: TemporaryFolder;
let repository: TestRepository;
let count = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  mkdirSync(folder.file('repositories'));
  repository = new TestRepository(folder.file('repositories'), 'private.git');
  repository.commit({ 'specs/eng.yaml': gatewayFile('eng') });
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Reads the source once, with the files of a Secret. */
async function once(url: string, secret: { readonly [key: string]: string }) {
  count += 1;
  const at = String(count);
  for (const name of ['secret', 'state']) mkdirSync(folder.file(`${at}/${name}`), { recursive: true });
  await folder.write(Object.fromEntries(Object.entries(secret).map(([key, text]) => [`${at}/secret/${key}`, text])));
  const args = ['--standalone', '--once', '--repo', url, '--path', 'specs', '--git-secret', 'secret', '--out', 'out'];
  const outcome = await run(PROGRAM.controller, [...args, '--state-dir', 'state'], { cwd: folder.file(at) });
  const status = readFileSync(folder.file(`${at}/out/status.json`), 'utf8');
  const left = ['out', 'state'].map(name => textsIn(folder.file(`${at}/${name}`))).join('\n');
  return { ...outcome, ...(JSON.parse(status) as { ready: boolean; message: string }), left };
}

/** The contents of all files below a folder. */
function textsIn(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('https', () => {
  let server: GitServer;
  beforeAll(async () => {
    server = await GitServer.start({
      root: folder.file('repositories'),
      isTls: true,
      intercept(request, response) {
        if (request.headers.authorization === basic(`lintel:${PASSWORD}`)) return false;
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return true;
      },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const login = { username: 'lintel\n', password: `${PASSWORD}\n`, 'ca.crt': TEST_CERTIFICATE };

  test('a standalone controller reads an HTTPS repository with a user name, a password and a CA certificate', async () => {
    const { code, ready, stdout, stderr, left } = await once(server.url('private.git'), login);
    expect([code, ready]).toEqual([0, true]);
    for (const text of [stdout, stderr, left]) expect(text).not.toContain(PASSWORD);
  });

  test.each<[what: string, secret: { readonly [key: string]: string }, message: string]>([
    [
      'a wrong password',
      { ...login, password: 'guess' },
      'check --git-secret, and whether the user may read the repository',
    ],
    [
      'no CA certificate',
      { username: 'lintel', password: PASSWORD },
      'add the certificate of its authority as ca.crt to --git-secret',
    ],
    ['no password', { username: 'lintel' }, '/secret: username and password are both required'],
    [
      'an empty folder',
      {},
      '/secret: the folder has none of the files username, password, bearerToken, identity, known_hosts, ca.crt',
    ],
  ])(
    'a standalone controller reports what is wrong with its --git-secret for an HTTPS repository: %s',
    async (_, secret, expected) => {
      const { code, ready, message, stderr } = await once(server.url('private.git'), secret);
      expect([code, ready]).toEqual([1, false]);
      expect(message).toContain(expected);
      expect(message + stderr).not.toContain(PASSWORD);
    },
  );
});

test.each([
  ['nowhere', 'nowhere: it does not exist, or is a link to a file that does not exist'],
  ['token.txt', 'token.txt: it is a file; give the folder that holds username, password, bearerToken'],
])('a standalone controller refuses --git-secret %s, which is not a folder', async (secret, expected) => {
  await using here = await temporaryFolder({ 'token.txt': PASSWORD });
  const repo = folder.file(`repositories/${repository.path}`);
  const args = [
    '--standalone',
    '--once',
    '--repo',
    repo,
    '--git-secret',
    secret,
    '--out',
    'out',
    '--state-dir',
    'state',
  ];
  const { code, stderr } = await run(PROGRAM.controller, args, { cwd: here.path });
  expect(code).toBe(1);
  expect(stderr).toContain(expected);
  expect(stderr).not.toContain(PASSWORD);
});

withPeers('sshd', 'ssh', 'ssh-keygen').describe('ssh', () => {
  let server: SshServer;
  let key: SshKey;
  beforeAll(async () => {
    server = await SshServer.start(folder.file('sshd'));
    key = new SshKey(folder.path, 'deploy-key');
    server.letIn(key);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('a standalone controller reads an SSH repository with a private key and the host keys', async () => {
    const secret = { identity: key.privateKey, known_hosts: server.knownHosts() };
    const { code, ready, left } = await once(server.url(repository.path), secret);
    expect([code, ready]).toEqual([0, true]);
    expect(left).not.toContain('PRIVATE KEY');
  });

  test('a standalone controller reports that --git-secret for an SSH repository has no known_hosts', async () => {
    const { code, message } = await once(server.url(repository.path), { identity: key.privateKey });
    expect(code).toBe(1);
    expect(message).toContain('/secret: it has identity but no known_hosts, which ssh needs to trust the host');
    expect(message).not.toContain('PRIVATE KEY');
  });
});
