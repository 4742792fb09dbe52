/** How we authenticate to a server over ssh, how we verify it, and that no other process gets the key. */
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { SecretData } from '../../../controller/source/index.ts';
import { withPeers } from '../../support/peers.ts';
import { SshKey } from '../../support/signing-keys.ts';
import { SshServer } from '../../support/ssh-server.ts';
import { commandLines, expectRefused, PrivateRepository, textsIn } from './private-repository.ts';
import { filesIn, findSource, repositoryIn } from './sources.ts';

let remote: PrivateRepository;

beforeAll(async () => {
  remote = await PrivateRepository.create();
});
afterAll(() => remote[Symbol.asyncDispose]());
beforeEach(() => remote.startAfresh());

withPeers('sshd', 'ssh', 'ssh-keygen').describe('ssh', () => {
  let server: SshServer;
  let key: SshKey;
  let onConnection = () => {};

  beforeAll(async () => {
    server = await SshServer.start(remote.folder.file('sshd'), () => onConnection());
    key = new SshKey(remote.folder.path, 'deploy-key');
    server.letIn(key);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    onConnection = () => {};
  });

  const url = () => server.url(remote.repository.path);
  const secret = () => ({ identity: key.privateKey, known_hosts: server.knownHosts() });

  test('the controller reads a repository over SSH with an accepted key from a known host', async () => {
    const head = remote.repository.git(['rev-parse', 'main']);
    const tree = await remote.fetch(url(), secret());
    expect(tree.revision).toBe(`main@sha1:${head}`);
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  test('the controller accepts an SSH key without a line break at its end', async () => {
    const tree = await remote.fetch(url(), { ...secret(), identity: key.privateKey.trimEnd() });
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  const scan =
    'if the host is the right one, put the line that ssh-keyscan prints for the host in known_hosts of spec.secretRef';

  test.each<[what: string, knownHosts: () => string]>([
    ['a different key of the host', () => server.knownHosts(new SshKey(remote.folder.path, 'other-host'))],
    ['only other hosts', () => `git.example.com ${key.publicKey}\n`],
    ['the key of the host as revoked', () => `@revoked ${server.knownHosts()}`],
  ])('the controller refuses an SSH host if known_hosts has %s', async (_what, knownHosts) => {
    await expectRefused(
      remote.fetch(url(), { ...secret(), known_hosts: knownHosts() }),
      `${url()}: the key of the host is not among the known ones; ${scan}`,
    );
  });

  test('a source stalls when the SSH server refuses the key of the source or ssh cannot read the key', async () => {
    const identity = new SshKey(remote.folder.path, 'stranger').privateKey;
    const see = 'check the Secret of spec.secretRef, and whether the user may read the repository';
    await expectRefused(remote.fetch(url(), { ...secret(), identity }), `${url()}: it does not accept the key; ${see}`);
    const broken = key.privateKey.replace(/\n[^\n]{20}/, '\n');
    await expectRefused(
      remote.fetch(url(), { ...secret(), identity: broken }),
      `${url()}: ssh cannot read the key, or the key has a passphrase; ${see}`,
    );
  });

  test.each<[what: string, secret: () => SecretData | null, message: () => string]>([
    ['without a Secret', () => null, () => `${url()}: ssh needs a key and the keys of the host; `],
    [
      'without known_hosts',
      () => ({ identity: key.privateKey }),
      () => 'Secret team/git: it has identity but no known_hosts, which ssh needs to trust the host; ',
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
  ])('the controller connects to no SSH server %s', async (_what, secret, message) => {
    const before = server.connections;
    await expect(remote.fetch(url(), secret())).rejects.toMatchObject({
      reason: 'AuthenticationFailed',
      next: 'stalled',
    });
    await expect(remote.fetch(url(), secret())).rejects.toThrow(message());
    expect(server.connections).toBe(before);
  });

  test('the controller refuses an SSH key for an https repository', async () => {
    await expect(remote.fetch('https://127.0.0.1:1/x.git', secret())).rejects.toThrow(
      'an ssh key cannot be used for this address',
    );
  });

  test('the controller ignores the SSH keys, agents and settings of the user that it runs as', async () => {
    await remote.folder.write({
      'home/.ssh/config': `Host *\n  ProxyCommand touch ${remote.folder.file('proxied')}\n  IdentityFile ${key.file}\n`,
      'home/.ssh/known_hosts': server.knownHosts(),
    });
    vi.stubEnv('HOME', remote.folder.file('home'));
    vi.stubEnv('GIT_SSH_COMMAND', `touch ${remote.folder.file('proxied')}`);
    vi.stubEnv('SSH_AUTH_SOCK', remote.folder.file('agent'));
    const identity = new SshKey(remote.folder.path, 'stranger-2').privateKey;
    await expect(remote.fetch(url(), { ...secret(), identity })).rejects.toThrow('it does not accept the key');
    vi.unstubAllEnvs();
    expect(readdirSync(remote.folder.path)).not.toContain('proxied');
  });

  test.runIf(process.platform === 'linux')(
    'an SSH key is in the arguments of no process, and its file is deleted afterwards',
    async () => {
      const secretLine = key.privateKey.split('\n')[2] ?? '';
      const seen: string[] = [];
      let during = '';
      onConnection = () => {
        seen.push(...commandLines());
        during += textsIn(remote.stateDir);
      };
      await remote.fetch(url(), secret());
      const ssh = seen.find(line => line.startsWith('ssh\0-F\0/dev/null'));
      expect(ssh, 'the process that has it was seen').toBeDefined();
      expect(ssh).toContain('StrictHostKeyChecking=yes');
      expect(during, 'it was in a file').toContain(secretLine);
      for (const line of seen) expect(line).not.toContain(secretLine);
      expect(textsIn(remote.stateDir)).not.toContain(secretLine);
      expect(readdirSync(join(remote.stateDir, 'work'))).toEqual([]);
    },
  );

  test('the SSH connection ends and the key is deleted when the controller gives up on a silent server', async () => {
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
    const fetched = repositoryIn(remote.stateDir, { git: secret() }).fetchLatest(source, undefined, caller.signal);
    fetched.catch(() => {});
    await asked.promise;
    const reason = new Error('a newer revision');
    caller.abort(reason);
    await expect(fetched).rejects.toBe(reason);
    await left.promise;
    expect(readdirSync(join(remote.stateDir, 'work'))).toEqual([]);
    await new Promise(resolve => silent.close(resolve));
  });

  test.each<[what: string, settings: readonly string[], options: string, expected: RegExp]>([
    [
      'a login script prints a text',
      [],
      'command="echo Welcome to this server" ',
      /^FetchFailed: the answer is not in the protocol of git, and may come from a proxy or from a login script on the server; /,
    ],
    [
      'a forge refuses on stderr',
      [],
      'command="echo \\"remote: ERROR: The project you were looking for could not be found\\" >&2; exit 1" ',
      /^FetchFailed: git failed: remote: ERROR: The project you were looking for could not be found$/,
    ],
    [
      'no common key exchange',
      ['KexAlgorithms diffie-hellman-group14-sha1'],
      '',
      /^FetchFailed: (?:ssh accepts no key exchange method that the server offers|the server ended the ssh connection without a reason); /,
    ],
  ])('the error of a fetch over SSH says what is wrong: %s', async (what, settings, options, expected) => {
    await using other = await SshServer.start(
      remote.folder.file(`sshd-${what.replaceAll(' ', '-')}`),
      () => {},
      settings,
    );
    other.letIn(key, options);
    const address = other.url(remote.repository.path);
    const said = await remote.fetch(address, { ...secret(), known_hosts: other.knownHosts() }).then(
      () => 'read',
      error => `${error.reason}: ${error.message.replace(`${address}: `, '')}`,
    );
    expect(said).toMatch(expected);
  });

  test('a source stalls when its SSH server does not have the repository', async () => {
    const nowhere = server.url('/srv/nowhere.git');
    await expect(remote.fetch(nowhere, secret())).rejects.toThrow(
      `${nowhere}: the repository does not exist, or this user may not see it; correct spec.url, and check whether spec.secretRef may read the repository`,
    );
  });
});
