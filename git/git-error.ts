/** What goes wrong with git, in words for operators. */

export type GitFailure =
  /** The tree of a commit cannot be written down as it is. */
  | 'bad_tree'
  | 'credentials'
  | 'failed'
  | 'foreign_owner'
  /** The server of an ssh URL is not known to be the right one. */
  | 'host_key'
  | 'invalid'
  | 'no_file'
  | 'no_program'
  | 'no_ref'
  | 'no_repository'
  | 'not_allowed'
  | 'redirect'
  /** What was verified before is no longer part of the history. */
  | 'rewritten'
  | 'signature'
  | 'timeout'
  | 'too_large'
  | 'unreachable'
  | 'untrusted';

/** A repository that was not read. The message names the place, the cause and what to do; never a credential. */
export class GitError extends Error {
  readonly code = 'ERR_GIT';
  readonly reason: GitFailure;
  /** What it is about: a repository, and the commit or file where one is meant. */
  readonly place: string;
  /** Without what to do. */
  readonly problem: string;

  /**
   * @param place the repository, and the file where one is meant
   * @param cause with what to do behind a semicolon
   */
  constructor(reason: GitFailure, place: string, cause: string) {
    super(`${place}: ${cause}`);
    this.name = 'GitError';
    this.reason = reason;
    this.place = place;
    this.problem = cause.split('; ')[0] ?? cause;
  }
}

/** Limit on what git says of itself that is shown, in characters. */
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
    /Host key verification failed|host key is known for|HOST IDENTIFICATION HAS CHANGED/,
    'host_key',
    'the key of the host is not among the known ones; if the host is the right one, put the line that ssh-keyscan gives of it in known_hosts',
  ],
  [
    /Load key "[^"]*": (?:invalid format|error in libcrypto|incorrect passphrase)/,
    'credentials',
    'the key is none that ssh can read, or it has a passphrase; give an OpenSSH private key without one',
  ],
  [
    /Permission denied \(/,
    'credentials',
    'it does not let the key in; add the public key to those that may read the repository',
  ],
  [/cannot run ssh|ssh: not found/, 'no_program', 'no ssh was found on PATH; install openssh-client'],
  [
    /No user exists for uid/,
    'failed',
    'ssh wants the user that the controller runs as to have an entry in /etc/passwd; add one',
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
    /repository '[^']*' not found|Repository not found|returned error: 404|does not appear to be a git repository/,
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
    /Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|reset|timed out|closed)|No route to host|too slow|Empty reply/i,
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

/** A text from outside on one line, short, and without what moves cursors or hides itself. */
export function sanitize(text: string, length = MAX_SHOWN): string {
  return text.replace(/\p{C}/gu, '?').slice(0, length);
}

/** The line in which git says why it gives up. Parts of it may be the server's words, so it is short and on one line. */
function lastWords(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split(/[\r\n]+/).filter(line => line.trim() !== '');
  const words = lines.findLast(line => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? 'it says nothing of why';
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), words);
  return sanitize(safe);
}
