/** Verifies the signature of a commit. */
import type { CommitInfo } from '../commit.ts';
import { GitError, sanitize } from '../git-error.ts';
import { describeCommit } from '../tree.ts';
import type { Workspace } from '../workspace.ts';
import { readGpgStatus } from './gpg-status.ts';
import type { Keyring } from './keyring.ts';

export interface Signer {
  readonly type: 'openpgp' | 'ssh';
  /** Principal of the allowed signers, or user id of the key. */
  readonly name: string;
  /** Fingerprint of the key. */
  readonly key: string;
}

/** The signer in words, escaped for display. */
export function formatSigner({ name, key }: Signer): string {
  return `${sanitize(name)} (${key})`;
}

/**
 * Verifies the signature of a commit by a key of the ring. A commit without a signature is refused, and so is any result that does not
 * explicitly state a good signature: an exit code alone proves nothing.
 *
 * Validity periods of SSH keys (`valid-before`) are compared with the commit's own date, as in Git; OpenPGP keys must not have expired.
 *
 * @throws GitError `signature`
 */
export async function verifyCommit(workspace: Workspace, keyring: Keyring, commit: CommitInfo): Promise<Signer> {
  const { signature } = commit;
  const refuse = (cause: string) => {
    const location = `${describeCommit(workspace, commit.id)} ("${commit.subject}" by ${commit.author})`;
    return new GitError('signature', location, cause);
  };
  if (signature === 'none') throw refuse('it is not signed; sign it');
  if (signature === 'other') throw refuse('its signature is of an unknown kind; sign with an SSH or OpenPGP key');
  if (signature === 'ssh' && !keyring.hasSsh)
    throw refuse('it is signed with an SSH key, but there are no allowed_signers; add them');
  if (signature === 'openpgp' && !keyring.hasOpenPgp)
    throw refuse('it is signed with an OpenPGP key, but there is no public key; add the public key');
  const { settings = {}, env = {} } = keyring;
  const { code, stderr } = await workspace.tryRun(['verify-commit', '--raw', commit.id], { settings, env });
  const missing = /cannot run (\S+):|(\S+): (?:command )?not found/.exec(stderr);
  if (missing !== null) {
    const program = missing[1] ?? missing[2];
    throw new GitError('no_program', workspace.remote.url, `no ${program} was found on PATH; install it`);
  }
  const found = signature === 'ssh' ? readSshWords(stderr) : readGpgStatus(stderr);
  if (typeof found === 'string') throw refuse(found);
  if (code !== 0) throw refuse('git does not accept its signature; sign again');
  return { type: signature, ...found };
}

/** Parses ssh-keygen's messages; it has no machine-readable output. */
function readSshWords(text: string): Pick<Signer, 'name' | 'key'> | string {
  const good = [...text.matchAll(/^Good "git" signature for (.+) with \S+ key (SHA256:[\w+/]{43})$/gm)];
  const [first] = good;
  if (first !== undefined && good.length === 1) return { name: first[1] ?? '', key: first[2] ?? '' };
  if (/not permitted for use in signature namespace/.test(text))
    return 'it is signed with an SSH key that allowed_signers has only for other namespaces than git; give the key the namespace "git"';
  const stranger = /^Good "git" signature with \S+ key (SHA256:[\w+/]{43})$/m.exec(text);
  if (stranger !== null)
    return `it is signed with the SSH key ${stranger[1]}, which was not among the allowed signers at the date of the commit; sign with another key, or add this key`;
  return 'its signature does not match its content; the commit was changed after it was signed';
}
