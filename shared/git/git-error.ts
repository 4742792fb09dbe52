/** Git failures, classified for operators. */

export type GitFailure =
  /** The server's certificate is for another host, or expired. */
  | 'bad_certificate'
  /** The tree of a commit cannot be written to disk. */
  | 'bad_tree'
  | 'credentials'
  | 'failed'
  | 'foreign_owner'
  /** The host key of an ssh server is not trusted. */
  | 'host_key'
  | 'invalid'
  | 'no_file'
  | 'no_program'
  | 'no_ref'
  | 'no_repository'
  /** The disk of this machine is full. */
  | 'no_space'
  | 'not_allowed'
  /** The server refused because of too many requests. */
  | 'rate_limited'
  | 'redirect'
  /** A verified commit is no longer part of the history. */
  | 'rewritten'
  | 'signature'
  /** The server sent nothing for a while, and other sources waited for a connection. */
  | 'silent'
  | 'timeout'
  | 'too_large'
  | 'unreachable'
  | 'untrusted'
  /** A folder of this machine is not writable. */
  | 'unwritable';

/** A repository could not be read. The message names the location, the cause and what to do; never a credential. */
export class GitError extends Error {
  readonly code = 'ERR_GIT';
  readonly reason: GitFailure;
  /** The repository, with the commit or file if relevant. */
  readonly location: string;
  /** The problem without advice. */
  readonly problem: string;

  /**
   * @param location the repository, with the file if relevant
   * @param cause with advice behind a semicolon
   */
  constructor(reason: GitFailure, location: string, cause: string) {
    super(`${location}: ${cause}`);
    this.name = 'GitError';
    this.reason = reason;
    this.location = location;
    this.problem = cause.split('; ')[0] ?? cause;
  }
}

/** Maximum number of displayed characters of Git's own message. */
const MAX_SHOWN = 300;

type Explanation = readonly [pattern: RegExp, reason: GitFailure, cause: string | ((match: RegExpExecArray) => string)];

const BROKEN_OFF =
  'it cannot be reached, or the connection broke off; check the address, the name service and the network';

/** The messages of curl with GnuTLS and with OpenSSL. A dropped connection says nothing about certificates. */
const TLS_EXPLANATIONS: readonly Explanation[] = [
  [
    /non-properly terminated|in the (?:pull|push) function|SSL_ERROR_SYSCALL|unexpected eof|SSL_\w+: (?:Connection|Broken pipe)/i,
    'unreachable',
    BROKEN_OFF,
  ],
  [
    /unexpected TLS packet|wrong version number|packet length too long|record overflow/i,
    'no_repository',
    'the server does not use TLS; check the address and its port',
  ],
  [
    /alert (?:certificate required|bad certificate|unknown ca|certificate (?:unknown|revoked|expired))|certificate required/i,
    'credentials',
    'it did not accept the certificate of this client, or it got no certificate; set a client certificate that the authority of the server has signed',
  ],
  [/certificate has expired/i, 'bad_certificate', 'its certificate has expired; renew it on the server'],
  [
    /certificate (?:problem|verif)|error setting certificate/i,
    'untrusted',
    'its certificate is not trusted, or has expired; add its authority to the trusted authorities of the machine, or name a file of authorities in GIT_SSL_CAINFO',
  ],
  [
    /fatal alert|\balert\b|gnutls_handshake|SSL_connect|SSL connect error|unsupported protocol/i,
    'unreachable',
    'it refuses the TLS handshake; check whether it requires a client certificate, a different client certificate, or an old version of TLS',
  ],
  [
    /does not match target host|no alternative certificate subject name/i,
    'bad_certificate',
    'its certificate is of another host; write the host of the certificate in the address, or have one issued for this host',
  ],
];

/** A server that refuses the certificate of its client ends the connection, often without a reason. */
const CERTIFICATE_REFUSED =
  'it ended the TLS connection, perhaps because it does not accept the client certificate; check the network, and whether the certificate was revoked or has expired';

/** Explanations of Git's messages in the C locale; the first matching entry applies. */
const EXPLANATIONS: readonly Explanation[] = [
  [
    /No space left on device|Disk quota exceeded/,
    'no_space',
    'there is no space left for it on this machine; free some space',
  ],
  [
    /attempting to allocate \d+ over limit/,
    'too_large',
    'an object in it is too large to be held in memory; keep large files out of the repository',
  ],
  [
    /couldn't find remote ref/,
    'no_ref',
    'the ref was deleted while it was read; the next read looks for the ref again',
  ],
  [
    /Host key verification failed|host key is known for|HOST IDENTIFICATION HAS CHANGED/,
    'host_key',
    'the key of the host is not among the known ones; if the host is the right one, put the line that ssh-keyscan prints for the host in known_hosts',
  ],
  [
    /Load key "[^"]*": (?:invalid format|error in libcrypto|incorrect passphrase)/,
    'credentials',
    'ssh cannot read the key, or the key has a passphrase; give an OpenSSH private key without a passphrase',
  ],
  [
    /Permission denied \(/,
    'credentials',
    'it does not accept the key; add the public key to those that may read the repository',
  ],
  [/cannot run ssh|ssh: not found/, 'no_program', 'no ssh was found on PATH; install openssh-client'],
  [
    /No user exists for uid/,
    'failed',
    'the user of this process has no entry in /etc/passwd, which ssh needs; add an entry',
  ],
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 401/,
    'credentials',
    'it asks for credentials and did not accept these, or got no credentials; set auth, or renew the password in its file',
  ],
  [/returned error: 403/, 'credentials', 'the user may not read it (HTTP 403); give the user read access'],
  [
    /returned error: 3\d\d|unable to update url base from redirection/,
    'redirect',
    'it redirects, which is not followed; write the address of the redirect',
  ],
  [
    /repository '[^']*' not found|Repository not found|returned error: 404|does not appear to be a git repository/,
    'no_repository',
    'the repository does not exist, or this user may not see it; check the address and auth',
  ],
  [
    /not valid: is this a git repository|invalid server response|dumb http transport/,
    'no_repository',
    'the server does not speak the smart HTTP protocol of git; check the address',
  ],
  [
    // After a connection that broke off, Git also complains about the half of a message.
    /^(?![\s\S]*RPC failed; curl )[\s\S]*(?:bad line length|protocol error)/,
    'no_repository',
    'the answer is not in the protocol of git, and may come from a proxy or from a login script on the server; check the address, and remove other output',
  ],
  [
    /no matching (.+?) found\. Their offer/,
    'unreachable',
    ([, kind]) => `ssh accepts no ${kind} that the server offers; update the ssh server`,
  ],
  [
    /dubious ownership/,
    'foreign_owner',
    'it belongs to another user of this machine, and git does not trust it; make the user of this process the owner',
  ],
  ...TLS_EXPLANATIONS,
  [
    /returned error: 429/,
    'rate_limited',
    'it received too many requests (HTTP 429); send fewer requests, or set credentials: most forges allow more requests with credentials',
  ],
  [
    /returned error: (\d{3})/,
    'unreachable',
    ([, status]) => `it answered HTTP ${status}; see the logs of the git server`,
  ],
  [
    /Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|(?:was )?reset|timed out|closed)|Broken pipe|(?:Send|Recv) failure|No route to host|too slow|Empty reply|not responding|get(?:peer|sock)name\(\) failed/i,
    'unreachable',
    BROKEN_OFF,
  ],
  [/transport '[^']*' not allowed/, 'not_allowed', 'git does not allow this kind of address'],
  [
    /(?:pack|object|delta) .*(?:bad|corrupt|mismatch|inflate|truncated)|SHA1 COLLISION|did not send all necessary objects|inflate: data/i,
    'failed',
    'the data that it sent is damaged; run git fsck in the repository on the server',
  ],
  [/early EOF|unexpected disconnect|hung up unexpectedly|transfer closed|RPC failed/i, 'unreachable', BROKEN_OFF],
];

/**
 * Why a Git command failed.
 *
 * @param secrets texts that are removed from Git's message
 * @param hasCertificate whether this client sent a certificate to the server
 */
export function explainFailure(
  location: string,
  stderr: string,
  secrets: readonly string[],
  hasCertificate = false,
): GitError {
  if (/aborting due to possible repository corruption/.test(stderr))
    return new GitError(
      'unreachable',
      location,
      'the server cannot read all of it; run git fsck in the repository there',
    );
  // Lines that come from the server, and words in the server's address, are not reasons that Git itself gives.
  const own = stderr
    .replace(/remote error: [\s\S]*$/, '')
    .replaceAll(/^remote: .*$/gm, '')
    .replaceAll(/'[a-z]+:\/\/[^']*'/gi, "''");
  for (const [pattern, reason, cause] of EXPLANATIONS) {
    const match = pattern.exec(own);
    if (
      match !== null &&
      cause === BROKEN_OFF &&
      hasCertificate &&
      /TLS|SSL|terminated|function|eof|Broken pipe|reset/i.test(match[0])
    )
      return new GitError(reason, location, CERTIFICATE_REFUSED);
    if (match !== null) return new GitError(reason, location, typeof cause === 'string' ? cause : cause(match));
  }
  // Failures that ssh does not report as errors, such as a connection that the server closes.
  if (splitLines(stderr).length > 0 && splitLines(stderr).every(line => NO_REASON.test(line)))
    return new GitError(
      'unreachable',
      location,
      'the server ended the ssh connection without a reason; see its logs, and check whether the server and this ssh have algorithms in common',
    );
  return new GitError('failed', location, `git failed: ${formatLastWords(stderr, secrets)}`);
}

function splitLines(text: string): string[] {
  return text.split(/[\r\n]+/).filter(line => line.trim() !== '');
}

/** An untrusted text on one short line, without control and invisible characters. */
export function sanitize(text: string, length = MAX_SHOWN): string {
  return text.replace(/\p{C}/gu, '?').slice(0, length);
}

/** Git's last line whenever ssh fails. */
const NO_REASON =
  /^fatal: Could not read from remote repository|^Please make sure you have the correct access rights|^and the repository exists/;

/** The line in which Git names its error. It may contain text from the server, so it is shortened. */
function formatLastWords(stderr: string, secrets: readonly string[]): string {
  // The following lines come from the server.
  const [, refused] = /^(.*remote error: .*)$/m.exec(stderr) ?? [];
  const all = splitLines(refused ?? stderr);
  // The reason is in earlier output of ssh or the server, not in this line.
  const lines = all.filter(line => !NO_REASON.test(line));
  const words = lines.findLast(line => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? 'it gives no reason';
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), words);
  return sanitize(safe);
}
