/** Trusted signing keys in files for ssh-keygen and gpg; no other keys are trusted. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitAdditions } from '../environment.ts';
import { GitError } from '../git-error.ts';
import type { Workspace } from '../workspace.ts';

export interface SigningKeys {
  /** Trusted SSH keys in the format that ssh-keygen(1) calls ALLOWED SIGNERS; null for none. */
  readonly allowedSigners: string | null;
  /** Armored OpenPGP public keys, by their names in messages. */
  readonly openPgp: Readonly<Record<string, string>>;
}

export interface Keyring extends GitAdditions {
  readonly hasSsh: boolean;
  readonly hasOpenPgp: boolean;
}

/** No agent, key servers or web of trust: every key in this keyring is trusted, because the operator configured it. */
const GPG_SETTINGS = [
  'batch',
  'no-tty',
  'trust-model always',
  'no-auto-check-trustdb',
  'no-auto-key-locate',
  'no-auto-key-retrieve',
  'no-autostart',
  'disable-dirmngr',
];

/**
 * Writes keys to a workspace's home, which is deleted with it. OpenPGP keys require gpg.
 * @throws GitError `signature` for invalid keys, and when there are none
 */
export async function openKeyring(workspace: Workspace, { allowedSigners, openPgp }: SigningKeys): Promise<Keyring> {
  const hasSsh = allowedSigners !== null && /^[^#\s]/m.test(allowedSigners);
  const hasOpenPgp = Object.keys(openPgp).length > 0;
  if (!hasSsh && !hasOpenPgp)
    throw new GitError(
      'signature',
      workspace.remote.url,
      'no signing keys are given; give allowed_signers or an OpenPGP public key',
    );
  if (hasSsh) await workspace.write('allowed_signers', `${allowedSigners}\n`);
  const gnupgHome = join(workspace.home, 'gnupg');
  if (hasOpenPgp) await importKeys(workspace, gnupgHome, openPgp);
  return {
    hasSsh,
    hasOpenPgp,
    settings: {
      'gpg.minTrustLevel': 'fully',
      'gpg.program': hasOpenPgp ? 'gpg' : 'false',
      'gpg.x509.program': 'false',
      'gpg.ssh.program': 'ssh-keygen',
      'gpg.ssh.allowedSignersFile': hasSsh ? join(workspace.home, 'allowed_signers') : '/dev/null',
    },
    env: { GNUPGHOME: gnupgHome },
  };
}

async function importKeys(workspace: Workspace, gnupgHome: string, keys: SigningKeys['openPgp']): Promise<void> {
  await mkdir(gnupgHome, { mode: 0o700 });
  await workspace.write('gnupg/gpg.conf', `${GPG_SETTINGS.join('\n')}\n`);
  // Without this file, GnuPG 2.4 stores the keys of a new home in a background process.
  await workspace.write('gnupg/common.conf', '');
  for (const [name, armored] of Object.entries(keys)) {
    const { code, stdout } = await workspace.gpg(['--status-fd', '1', '--import'], gnupgHome, armored);
    if (code === 0 && /^\[GNUPG:\] IMPORT_OK /m.test(stdout.toString('utf8'))) continue;
    throw new GitError(
      'signature',
      workspace.remote.url,
      `${name} has no OpenPGP public key that gpg can read; give the output of gpg --armor --export`,
    );
  }
}
