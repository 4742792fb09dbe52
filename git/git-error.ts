/** What goes wrong with git, in words for operators. */

export type GitFailure =
  | 'credentials'
  | 'failed'
  | 'foreign_owner'
  | 'invalid'
  | 'no_file'
  | 'no_git'
  | 'no_ref'
  | 'no_repository'
  | 'not_allowed'
  | 'redirect'
  | 'timeout'
  | 'too_large'
  | 'unreachable'
  | 'untrusted';

/** A repository that was not read. The message names the place, the cause and what to do; never a credential. */
export class GitError extends Error {
  readonly code = 'ERR_GIT';
  readonly reason: GitFailure;
  /**
   * @param place the repository, and the file where one is meant
   * @param cause with what to do behind a semicolon
   */
  constructor(reason: GitFailure, place: string, cause: string) {
    super(`${place}: ${cause}`);
    this.name = 'GitError';
    this.reason = reason;
  }
}

/** Ceiling on what git says of itself that is shown, in characters. */
const MAX_SHOWN = 300;

type Explanation = readonly [says: RegExp, reason: GitFailure, cause: string | ((match: RegExpExecArray) => string)];

/** By what git writes in the C locale; the first that fits. */
const EXPLANATIONS: readonly Explanation[] = [
  [
    /attempting to allocate \d+ over limit/,
    'too_large',
    'an object in it is too large to be held in memory; keep large files out of the repository of the catalogue',
  ],
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 401/,
    'credentials',
    'it asks for credentials and did not accept these, or was given none; set auth, or renew the password in its file',
  ],
  [/returned error: 403/, 'credentials', 'the user may not read it (HTTP 403); give the user read access'],
  [
    /returned error: 3\d\d|unable to update url base from redirection/,
    'redirect',
    'it redirects, which is not followed; write the address that it leads to',
  ],
  [
    /repository '[^']*' not found|returned error: 404|does not appear to be a git repository/,
    'no_repository',
    'there is no repository, or it is hidden from this user; check the address and auth',
  ],
  [
    /not valid: is this a git repository|invalid server response|dumb http transport|bad line length|protocol error/,
    'no_repository',
    'what answers there does not speak the smart HTTP protocol of git; check the address',
  ],
  [
    /dubious ownership/,
    'foreign_owner',
    'it belongs to another user of this machine, and git does not trust it; have it owned by the user that the server runs as',
  ],
  [
    /certificate|SSL|TLS|gnutls/i,
    'untrusted',
    'its certificate is not trusted; add its authority to those of the machine, or name their file in GIT_SSL_CAINFO',
  ],
  [
    /returned error: (\d{3})/,
    'unreachable',
    ([, status]) => `it answered HTTP ${status}; see the logs of the git server`,
  ],
  [
    /Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|reset|timed out)|too slow|Empty reply/i,
    'unreachable',
    'it cannot be reached, or broke off; check the address, the name service and the network',
  ],
  [/transport '[^']*' not allowed/, 'not_allowed', 'git does not allow this kind of address'],
  [
    /couldn't find remote ref/,
    'no_ref',
    'the ref went away while it was read; it is looked for again at the next reading',
  ],
  [/No space left on device/, 'failed', 'there is no space left for it on this machine; free some'],
];

/**
 * Why a command of git failed.
 *
 * @param secrets texts that are not shown, whatever git says
 */
export function explainFailure(place: string, stderr: string, secrets: readonly string[]): GitError {
  for (const [says, reason, cause] of EXPLANATIONS) {
    const match = says.exec(stderr);
    if (match !== null) return new GitError(reason, place, typeof cause === 'string' ? cause : cause(match));
  }
  return new GitError('failed', place, `git failed: ${lastWords(stderr, secrets)}`);
}

/** The line in which git says why it gives up. Parts of it may be the server's words, so it is short and on one line. */
function lastWords(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split(/[\r\n]+/).filter(line => line.trim() !== '');
  const words = lines.findLast(line => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? 'it says nothing of why';
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), words);
  return safe.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN);
}
