/** Signed commits, and all ways in which a signature can be missing or invalid. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SecretData } from '../../../controller/source/index.ts';
import { withPeers } from '../../support/peers.ts';
import { OpenPgpKey, type SigningKey, SshKey } from '../../support/signing-keys.ts';
import { useRepositories } from './repositories.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

const fixture = useRepositories();

const withKeys = withPeers('ssh-keygen', 'gpg');

let alice: SshKey;
let mallory: SshKey;
let bob: OpenPgpKey;
let stranger: OpenPgpKey;
let expired: OpenPgpKey;

beforeAll(() => {
  alice = new SshKey(fixture.folder.path, 'alice');
  mallory = new SshKey(fixture.folder.path, 'mallory');
  bob = new OpenPgpKey(fixture.folder.path, 'bob');
  stranger = new OpenPgpKey(fixture.folder.path, 'stranger');
  expired = new OpenPgpKey(fixture.folder.path, 'expired', '20200101T000000');
});
afterAll(() => {
  for (const key of [bob, stranger, expired]) key[Symbol.dispose]();
});
afterEach(() => vi.unstubAllEnvs());

const signers = () => `alice@example.com namespaces="git" ${alice.publicKey}\n`;
const keys = (): SecretData => ({ allowed_signers: signers(), 'bob.asc': bob.publicKey });

interface Options {
  readonly mode?: 'Head' | 'EveryCommit';
  readonly secret?: SecretData;
  readonly verified?: string;
  readonly spec?: object;
  readonly attempted?: string;
}

function newest({ mode = 'Head', secret = keys(), verified, spec = {}, attempted }: Options = {}) {
  const status = attempted === undefined ? {} : { lastAttemptedRevision: attempted };
  const source = findSource(
    { url: fixture.repository.path, verify: { mode, secretRef: { name: 'keys' } }, ...spec },
    { status },
  );
  return repositoryIn(fixture.stateDir, { keys: secret }).fetchLatest(source, verified, never);
}

const commit = (text: string, key?: SigningKey, options = {}, branch = 'main') =>
  fixture.repository.commit({ 'gateway.yaml': text }, branch, { ...key, ...options });

async function expectInvalid(fetched: Promise<unknown>, message: string | RegExp): Promise<void> {
  await expect(fetched).rejects.toMatchObject({ reason: 'SignatureInvalid', next: 'stalled' });
  await expect(fetched).rejects.toThrow(message);
}

/** How messages name a commit. */
const place = (id: string) =>
  `file://${fixture.repository.path} at ${id.slice(0, 12)} ("a commit" by test <test@example.com>)`;

withKeys.describe('one commit', () => {
  test('the controller accepts a commit that is signed with a trusted SSH key', async () => {
    commit('signed', alice);
    const tree = await newest();
    expect(tree.verifiedBy).toBe(`alice@example.com (${alice.fingerprint})`);
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'signed' });
  });

  test('the controller accepts a commit that is signed with a trusted OpenPGP key', async () => {
    commit('signed', bob);
    const tree = await newest();
    expect(tree.verifiedBy).toBe(`bob <bob@example.com> (${bob.fingerprint})`);
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'signed' });
  });

  test('the controller accepts a signed commit to which an unsigned tag leads', async () => {
    const id = commit('signed', alice);
    commit('later');
    fixture.repository.git(['tag', '-a', '-m', 'x', 'v1', id]);
    expect(await newest({ spec: { ref: { tag: 'v1' } } })).toMatchObject({ commit: id });
  });

  test('the controller accepts a signed commit in a repository with SHA-256 ids', async () => {
    fixture.replaceRepository({ objectFormat: 'sha256' });
    commit('signed', alice);
    const tree = await newest();
    expect(tree.revision).toMatch(/^main@sha256:[0-9a-f]{64}$/);
    expect(tree.verifiedBy).toBe(`alice@example.com (${alice.fingerprint})`);
  });

  test('the controller refuses an unsigned commit', async () => {
    const id = commit('x');
    await expectInvalid(newest(), `${place(id)}: it is not signed; sign it`);
  });

  test.each<[what: string, key: () => SigningKey, secret: () => SecretData, message: () => string]>([
    [
      'an unknown SSH key',
      () => mallory,
      keys,
      () => `it is signed with the SSH key ${mallory.fingerprint}, which was not among the allowed signers`,
    ],
    ['an unknown OpenPGP key', () => stranger, keys, () => 'it is signed with a key that is not trusted'],
    [
      'an SSH key where only OpenPGP keys are trusted',
      () => alice,
      () => ({ 'bob.asc': bob.publicKey }),
      () => 'it is signed with an SSH key, but there are no allowed_signers',
    ],
    [
      'an OpenPGP key where only SSH keys are trusted',
      () => bob,
      () => ({ allowed_signers: signers() }),
      () => 'it is signed with an OpenPGP key, but there is no public key',
    ],
    [
      'an SSH key that is trusted only for another namespace than git',
      () => alice,
      () => ({ allowed_signers: `a@example.com namespaces="file" ${alice.publicKey}` }),
      () => 'it is signed with an SSH key that allowed_signers has only for other namespaces than git',
    ],
    [
      'an SSH key that was no longer valid',
      () => alice,
      () => ({ allowed_signers: `a@example.com valid-before="20200101" ${alice.publicKey}` }),
      () => 'which was not among the allowed signers at the date of the commit',
    ],
    [
      'an OpenPGP key that has expired',
      () => expired,
      () => ({ 'x.asc': expired.publicKey }),
      () => 'it is signed with a key that has expired',
    ],
  ])('the controller refuses a commit that is signed with %s', async (_what, key, secret, message) => {
    commit('x', key());
    await expectInvalid(newest({ secret: secret() }), message());
  });

  test('the controller refuses a commit that is signed with a revoked OpenPGP key', async () => {
    using key = new OpenPgpKey(fixture.folder.path, 'revoked');
    commit('x', key);
    expect(await newest({ secret: { 'x.asc': key.publicKey } })).toMatchObject({ verifiedBy: expect.any(String) });
    key.revoke();
    await expectInvalid(newest({ secret: { 'x.asc': key.publicKey } }), 'it is signed with a key that was revoked');
  });

  test.each<[what: string, key: () => SigningKey]>([
    ['SSH signature', () => alice],
    ['OpenPGP signature', () => bob],
  ])('the controller refuses a commit that was changed after it was signed: %s', async (_what, key) => {
    const signed = commit('signed', key());
    const evil = commit('evil');
    const tree = fixture.repository.git(['rev-parse', `${evil}^{tree}`]);
    const raw = fixture.repository.git(['cat-file', 'commit', signed]).replace(/^tree .*/, `tree ${tree}`);
    const forged = fixture.repository.git(['hash-object', '-t', 'commit', '-w', '--stdin'], `${raw}\n`);
    fixture.repository.git(['update-ref', 'refs/heads/main', forged]);
    await expectInvalid(newest(), 'it was changed after it was signed');
  });

  test('the controller refuses a commit with an unknown kind of signature', async () => {
    const id = commit('x');
    const raw = fixture.repository.git(['cat-file', 'commit', id]);
    const signature = 'gpgsig -----BEGIN SIGNED MESSAGE-----\n x\n -----END SIGNED MESSAGE-----';
    const forged = fixture.repository.git(
      ['hash-object', '-t', 'commit', '-w', '--stdin'],
      raw.replace('\n\n', `\n${signature}\n\n`),
    );
    fixture.repository.git(['update-ref', 'refs/heads/main', forged]);
    await expectInvalid(newest(), 'its signature is of an unknown kind');
  });

  test('the controller refuses a commit whose message contains the output of a good verification', async () => {
    const words =
      'Good "git" signature for alice@example.com with ED25519 key SHA256:x\n[GNUPG:] GOODSIG 0 x\n[GNUPG:] VALIDSIG x';
    commit('x', undefined, { message: words });
    await expectInvalid(newest(), 'it is not signed');
    commit('x', mallory, { message: words });
    await expectInvalid(newest(), 'which was not among the allowed signers');
  });

  test('the error about an unsigned commit leaves out control characters of the commit', async () => {
    commit('x', undefined, { message: '\u001b[2J\u202esubject\n\nbody' });
    await expectInvalid(newest(), '("?[2J?subject" by test <test@example.com>)');
  });

  test('the controller verifies a commit again when the trusted keys change', async () => {
    commit('x', alice);
    const secrets = { keys: keys() };
    const sources = repositoryIn(fixture.stateDir, secrets);
    const source = findSource({ url: fixture.repository.path, verify: { mode: 'Head', secretRef: { name: 'keys' } } });
    const tree = await sources.fetchLatest(source, undefined, never);
    expect(await sources.fetchLatest(source, tree.commit, never)).toBe(tree);
    secrets.keys = { allowed_signers: `mallory@example.com ${mallory.publicKey}` };
    await expectInvalid(sources.fetchLatest(source, tree.commit, never), 'which was not among the allowed signers');
  });
});

withKeys.describe('keys', () => {
  test.each<[what: string, secret: SecretData, message: string]>([
    ['no keys', {}, 'no signing keys are given'],
    ['only comments', { allowed_signers: '# nobody yet\n\n' }, 'no signing keys are given'],
    ['a text instead of a key', { 'x.asc': 'x' }, 'x.asc has no OpenPGP public key that gpg can read'],
    ['unknown names', { 'alice.pub': 'ssh-ed25519 AAAA' }, 'no signing keys are given'],
  ])('the controller refuses commits when the Secret of spec.verify has %s', async (_what, secret, message) => {
    commit('x', alice);
    await expectInvalid(newest({ secret }), message);
  });

  test('the controller ignores the keys of the user that it runs as', async () => {
    await fixture.folder.write({
      'home/.gitconfig': `[gpg "ssh"]\n\tallowedSignersFile = ${fixture.folder.file('home/signers')}\n`,
      'home/signers': `mallory@example.com ${mallory.publicKey}\n`,
    });
    vi.stubEnv('HOME', fixture.folder.file('home'));
    vi.stubEnv('GNUPGHOME', stranger.env.GNUPGHOME ?? '');
    commit('x', mallory);
    await expectInvalid(newest(), 'which was not among the allowed signers');
    commit('x', stranger);
    await expectInvalid(newest(), 'it is signed with a key that is not trusted');
  });
});

withKeys.describe('programs', () => {
  /** A folder with git and the programs that it needs, some of them replaced. */
  function programs(others: Readonly<Record<string, string | null>>): string {
    const path = fixture.file('programs');
    mkdirSync(path);
    for (const name of ['git', 'gpg', 'ssh-keygen', 'sh', 'cat', 'false']) {
      const other = others[name];
      if (other === null) continue;
      writeFileSync(`${path}/${name}`, other ?? `#!/bin/sh\nPATH=/usr/bin:/bin exec ${name} "$@"\n`);
      chmodSync(`${path}/${name}`, 0o755);
    }
    return path;
  }

  const gitWhere = (command: string, then: string) =>
    `#!/bin/sh\ncase "$*" in *${command}*) ${then};; esac\nPATH=/usr/bin:/bin:${fixture.folder.path} exec git "$@"\n`;

  test.each<[what: string, then: string]>([
    ['that succeeds without output', 'exit 0'],
    ['that fails without output', 'exit 1'],
    [
      'that reports a good signature and fails',
      `echo 'Good "git" signature for a with ED25519 key SHA256:${'x'.repeat(43)}' >&2; exit 1`,
    ],
    [
      'that reports a good signature twice',
      `for i in 1 2; do echo 'Good "git" signature for a with ED25519 key SHA256:${'x'.repeat(43)}' >&2; done; exit 0`,
    ],
  ])('the controller refuses a commit after a verification %s', async (_what, then) => {
    commit('x', alice);
    vi.stubEnv('PATH', programs({ git: gitWhere('verify-commit', then) }));
    await expect(newest()).rejects.toMatchObject({ reason: 'SignatureInvalid' });
  });

  test.each(['ls-remote', 'fetch', 'ls-tree', 'cat-file', 'rev-parse', 'init'])(
    'the controller reports a fetch as failed when `git %s` fails without a message',
    async command => {
      commit('x', alice);
      vi.stubEnv('PATH', programs({ git: gitWhere(command, 'exit 1') }));
      await expect(newest()).rejects.toMatchObject({ reason: 'FetchFailed' });
    },
  );

  test('the controller verifies SSH signatures without gpg, and needs gpg for OpenPGP keys', async () => {
    const secret = keys();
    vi.stubEnv('PATH', programs({ gpg: null }));
    fixture.repository.commit({ 'gateway.yaml': 'x' }, 'main', { ...alice, env: { PATH: '/usr/bin:/bin' } });
    expect(await newest({ secret: { allowed_signers: signers() } })).toMatchObject({ verifiedBy: expect.any(String) });
    const fetched = newest({ secret });
    await expect(fetched).rejects.toMatchObject({ reason: 'FetchFailed', next: 'retry' });
    await expect(fetched).rejects.toThrow('no gpg was found on PATH, which OpenPGP keys need');
  });
});

withKeys.describe('every commit', () => {
  const every = (options: Options = {}) => newest({ mode: 'EveryCommit', ...options });

  test('if a source has to verify every commit, its first reconcile verifies only the newest commit', async () => {
    commit('old');
    const head = commit('new', alice);
    expect(await every()).toMatchObject({ commit: head, verifiedBy: `alice@example.com (${alice.fingerprint})` });
  });

  test('if a source has to verify every commit, later reconciles verify all commits since the last verified commit', async () => {
    commit('unsigned, and before');
    const verified = commit('verified', alice);
    commit('between', bob);
    const head = commit('new', alice);
    expect(await every({ verified })).toMatchObject({ commit: head });
    expect(await every({ verified: head })).toMatchObject({ commit: head });
  });

  test('the error about several unsigned commits names the oldest unsigned commit', async () => {
    const verified = commit('verified', alice);
    const bad = commit('bad');
    commit('bad too', mallory);
    commit('new', alice);
    await expectInvalid(every({ verified }), `${place(bad)}: it is not signed; sign it`);
    // In the other mode only the newest commit is checked.
    expect(await newest({ verified })).toMatchObject({ verifiedBy: expect.any(String) });
  });

  test('the controller verifies the commits of a merged branch', async () => {
    const verified = commit('verified', alice);
    const side = commit('side', undefined, { parents: [verified] }, 'side');
    const main = commit('main', alice);
    commit('merge', alice, { parents: [main, side] });
    await expectInvalid(every({ verified }), place(side));
  });

  test('the controller verifies older commits of a merged branch, except those in the history of the verified commit', async () => {
    const root = commit('root');
    const verified = commit('verified', alice);
    const side = commit('side', alice, { parents: [root] }, 'side');
    const merge = commit('merge', alice, { parents: [verified, side] });
    expect(await every({ verified })).toMatchObject({ commit: merge });
  });

  test('the controller refuses an unsigned merge commit', async () => {
    const verified = commit('verified', alice);
    const side = commit('side', alice, { parents: [verified] }, 'side');
    const merge = commit('merge', undefined, { parents: [verified, side] });
    commit('new', alice);
    await expectInvalid(every({ verified }), place(merge));
  });

  test('a shallow mirror of another source of the same repository does not affect the verification', async () => {
    const verified = commit('verified', alice);
    const bad = commit('bad');
    const head = commit('new', alice);
    const sources = repositoryIn(fixture.stateDir, { keys: keys() });
    for (const id of [verified, bad, head])
      await sources.fetchLatest(
        findSource({ url: fixture.repository.path, ref: { commit: id } }, { name: 'other' }),
        undefined,
        never,
      );
    const verify = { mode: 'EveryCommit' as const, secretRef: { name: 'keys' } };
    await expectInvalid(
      sources.fetchLatest(findSource({ url: fixture.repository.path, verify }), verified, never),
      place(bad),
    );
  });

  test('the controller refuses a Git server that has only a part of the history', async () => {
    const verified = commit('verified', alice);
    commit('hidden');
    commit('new', alice);
    const shallow = fixture.file('shallow');
    fixture.repository.git(
      ['clone', '--quiet', '--bare', '--depth=1', `file://${fixture.repository.path}`, shallow],
      '',
      {},
    );
    const source = { url: shallow };
    await expect(every({ verified, spec: source })).rejects.toMatchObject({ reason: 'SignatureInvalid' });
  });

  describe('a history that was rewritten', () => {
    const message =
      /the history was rewritten: it no longer has commit [0-9a-f]{12}, up to which signatures were verified/;
    const rewind = (to: string) => fixture.repository.git(['update-ref', 'refs/heads/main', to]);

    test('the controller refuses a rewritten history even if all its commits are signed', async () => {
      const root = commit('root', alice);
      const verified = commit('verified', alice);
      rewind(root);
      commit('another', alice);
      await expectInvalid(every({ verified, attempted: `main@sha1:${verified}` }), message);
    });

    test('the controller refuses a branch that goes back to an older signed commit', async () => {
      const root = commit('root', alice);
      const verified = commit('verified', alice);
      rewind(root);
      await expectInvalid(every({ verified, attempted: `main@sha1:${verified}` }), message);
      await expectInvalid(every({ verified, spec: { ref: { branch: 'main' } } }), message);
      // The fix that the message proposes.
      expect(await newest({ verified })).toMatchObject({ commit: root });
    });

    test('the controller accepts a change of the branch in spec.ref, and verifies the commits of the new branch', async () => {
      const root = commit('root', alice);
      const verified = commit('verified', alice);
      const attempted = `main@sha1:${verified}`;
      const spec = { ref: { branch: 'release' } };
      const head = commit('release', alice, { parents: [root] }, 'release');
      expect(await every({ verified, attempted, spec })).toMatchObject({ commit: head });
      const bad = commit('bad', undefined, {}, 'release');
      commit('release', alice, {}, 'release');
      await expectInvalid(every({ verified, attempted, spec }), place(bad));
    });

    test('the controller treats the history as rewritten when the verified commit no longer exists', async () => {
      commit('another', alice);
      const spec = { ref: { branch: 'main' } };
      await expectInvalid(every({ verified: 'a'.repeat(40), attempted: `old@sha1:${'a'.repeat(40)}`, spec }), message);
    });

    test('the controller accepts an older tag, because a tag does not have to lead to newer commits', async () => {
      const root = commit('root', alice);
      const verified = commit('verified', alice);
      fixture.repository.git(['update-ref', 'refs/tags/v1.0.0', root]);
      for (const ref of [{ tag: 'v1.0.0' }, { semver: '^1.0.0' }, { commit: root }])
        expect(await every({ verified, spec: { ref } })).toMatchObject({ commit: root });
    });
  });
});
