/** Credentials for a server, the certificates and host keys that are trusted, and how Git gets them without another process. */
import { formatSshCommand } from './ssh-command.ts';

export type GitCredentials =
  /** For HTTP basic authentication. */
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  /** A bearer token (RFC 6750, section 2.1). */
  | { readonly type: 'bearer'; readonly token: string }
  /** A private key without a passphrase in OpenSSH format, and trusted host keys in `known_hosts` format. */
  | { readonly type: 'ssh'; readonly identity: string; readonly knownHosts: string };

/** A client certificate, which is sent to servers that ask for one in the TLS handshake. Both texts are PEM; the key has no passphrase. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The access that a Git process gets to a server. */
export interface GitAccess {
  /** Settings passed in the environment, because every user of the machine can list arguments. */
  readonly settings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Private files in the home folder of the process, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** File names in the home folder of a process. */
const AUTHORITIES = 'authorities.pem';
const IDENTITY = 'identity';
const KNOWN_HOSTS = 'known_hosts';
const CERTIFICATE = 'certificate.pem';
const CERTIFICATE_KEY = 'certificate-key.pem';

export interface AccessInput {
  readonly url: string;
  readonly credentials: GitCredentials | null;
  /** PEM of certificate authorities, which replace those of the machine. */
  readonly authorities: string | null;
  readonly certificate: ClientCertificate | null;
}

/** @param home of the process, absolute */
export function prepareAccess({ url, credentials, authorities, certificate }: AccessInput, home: string): GitAccess {
  const header = formatHeader(credentials);
  return {
    // A header for this server only; redirects do not pass it on.
    settings: header === null ? {} : { [`http.${new URL(url).origin}/.extraHeader`]: `Authorization: ${header}` },
    env: {
      ...(authorities !== null && { GIT_SSL_CAINFO: `${home}/${AUTHORITIES}` }),
      ...(certificate !== null && {
        GIT_SSL_CERT: `${home}/${CERTIFICATE}`,
        GIT_SSL_KEY: `${home}/${CERTIFICATE_KEY}`,
      }),
      ...(credentials?.type === 'ssh' && {
        GIT_SSH_COMMAND: formatSshCommand(IDENTITY, KNOWN_HOSTS),
        GIT_SSH_VARIANT: 'ssh',
      }),
    },
    files: {
      ...(authorities !== null && { [AUTHORITIES]: authorities }),
      ...(certificate !== null && {
        [CERTIFICATE]: certificate.certificate,
        [CERTIFICATE_KEY]: certificate.key,
      }),
      // OpenSSH refuses a key whose last line has no end.
      ...(credentials?.type === 'ssh' && {
        [IDENTITY]: `${credentials.identity.trimEnd()}\n`,
        [KNOWN_HOSTS]: credentials.knownHosts,
      }),
    },
  };
}

/** Values that must not be shown. */
export function listSecrets(credentials: GitCredentials | null): string[] {
  switch (credentials?.type) {
    case 'basic':
      return [credentials.password, formatBasicToken(credentials)];
    case 'bearer':
      return [credentials.token];
    default:
      return [];
  }
}

function formatHeader(credentials: GitCredentials | null): string | null {
  switch (credentials?.type) {
    case 'basic':
      return `Basic ${formatBasicToken(credentials)}`;
    case 'bearer':
      return `Bearer ${credentials.token}`;
    default:
      return null;
  }
}

/** The credentials of HTTP basic authentication (RFC 7617, section 2). */
function formatBasicToken({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}
