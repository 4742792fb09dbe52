/** Reads the Secrets of a source, by the keys that Flux uses as well. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { findBasicUserProblem, validateAuthorities } from '#schemas';
import { type ClientCertificate, type GitCredentials, GitError, type SigningKeys } from '#shared/git';

/** Texts of a Secret by key, decoded. */
export type SecretData = { readonly [key: string]: string };

/** The keys of a Secret for the server of a source. */
export const SECRET_KEYS: readonly string[] = [
  ...['username', 'password', 'bearerToken', 'identity', 'known_hosts'],
  ...['ca.crt', 'tls.crt', 'tls.key'],
];

/** Maximum number of keys that a message names. */
const MOST_NAMED = 5;

export interface RepositoryAccess {
  readonly credentials: GitCredentials | null;
  /** PEM of the certificate authorities; null when the Secret has none. */
  readonly authorities: string | null;
  readonly certificate: ClientCertificate | null;
}

/**
 * Reads the credentials of a Secret.
 * @param location identifies the Secret in messages
 * @throws GitError `credentials` when required keys are missing
 */
export function readAccess(data: SecretData, location: string): RepositoryAccess {
  // A Secret whose keys all have other names is a mistake: without this check it would count as one without credentials.
  if (!SECRET_KEYS.some(key => Object.hasOwn(data, key)))
    throw new GitError(
      'credentials',
      location,
      `it has none of the keys ${SECRET_KEYS.join(', ')}, ${formatKeys(data)}`,
    );
  const access = {
    credentials: readCredentials(data, location),
    authorities: readAuthorities(data, location),
    certificate: readCertificate(data, location),
  };
  if (access.credentials?.type === 'ssh' && access.certificate !== null)
    throw new GitError('credentials', location, 'it holds several kinds of credentials; keep only one of them');
  return access;
}

/** Names of keys are not secret, unlike their values. */
function formatKeys(data: SecretData): string {
  const names = Object.keys(data).sort();
  if (names.length === 0) return 'and no other';
  const more = names.length - MOST_NAMED;
  const named = names.slice(0, MOST_NAMED).map(name => JSON.stringify(name));
  return `only ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The names that Secrets of the type kubernetes.io/tls use. */
function readCertificate(data: SecretData, location: string): ClientCertificate | null {
  const [certificate, key] = [toNonEmpty(data['tls.crt']), toNonEmpty(data['tls.key'])];
  if (certificate === null && key === null) return null;
  const problem =
    certificate === null || key === null ? 'tls.crt and tls.key are both required' : findPairProblem(certificate, key);
  if (problem !== undefined) throw new GitError('credentials', location, problem);
  return { certificate: `${certificate}\n`, key: `${key}\n` };
}

function findPairProblem(certificate: string, key: string): string | undefined {
  const parsed = {
    certificate: attempt(() => new X509Certificate(certificate)),
    key: attempt(() => createPrivateKey(key)),
  };
  if (parsed.certificate === undefined) return 'tls.crt has no PEM certificate';
  if (parsed.key === undefined)
    return 'tls.key is not a PEM private key, or has a passphrase; use a key without a passphrase';
  return parsed.certificate.checkPrivateKey(parsed.key) ? undefined : 'tls.key is not the key of tls.crt';
}

/** The parsed value; undefined when parsing fails. The cause is omitted, because it could show a part of a key. */
function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function readAuthorities(data: SecretData, location: string): string | null {
  const pem = toNonEmpty(data['ca.crt']);
  const problem = pem === null ? undefined : validateAuthorities(pem, new Date()).problem;
  if (problem !== undefined) throw new GitError('credentials', location, `ca.crt ${problem}`);
  return pem;
}

function readCredentials(data: SecretData, location: string): GitCredentials | null {
  const identity = toNonEmpty(data.identity);
  const token = toNonEmpty(data.bearerToken);
  const username = toNonEmpty(data.username);
  const password = toNonEmpty(data.password);
  const refuse = (cause: string) => new GitError('credentials', location, cause);
  const ways = [identity, token, password ?? username].filter(value => value !== null).length;
  if (ways > 1) throw refuse('it holds several kinds of credentials; keep only one of them');
  if (identity !== null) {
    const knownHosts = toNonEmpty(data.known_hosts);
    if (knownHosts === null) throw refuse('it has identity but no known_hosts, which ssh needs to trust the host');
    return { type: 'ssh', identity, knownHosts };
  }
  if (token !== null) {
    if (!/^[\x21-\x7e]+$/.test(token)) throw refuse('bearerToken has a character that a token cannot have');
    return { type: 'bearer', token };
  }
  if (username === null && password === null) return null;
  if (username === null || password === null) throw refuse('username and password are both required');
  const problem = findBasicUserProblem(username);
  if (problem !== undefined) throw refuse(`username ${problem}`);
  // RFC 7617, section 2.
  if (/\p{Cc}/u.test(password))
    throw refuse('password has a control character, which basic authentication cannot carry');
  return { type: 'basic', username, password };
}

/** The keys that commits may be signed with. */
export function readSigningKeys(data: SecretData): SigningKeys {
  const armored = Object.entries(data).filter(([name, text]) => name.endsWith('.asc') && text.trim() !== '');
  return { allowedSigners: toNonEmpty(data.allowed_signers), openPgp: Object.fromEntries(armored) };
}

/** The text; null when it is missing or only a line break. */
function toNonEmpty(text: string | undefined): string | null {
  const trimmed = text?.replace(/[\r\n]+$/, '') ?? '';
  return trimmed === '' ? null : trimmed;
}
