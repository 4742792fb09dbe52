/** Validates client registrations (RFC 7591). */
import type { AuthServerPlan } from '#schemas';

/** The client is refused; `error` is the code of RFC 7591, section 3.2.2. */
export class RegistrationRefusedError extends Error {
  readonly error: 'invalid_client_metadata' | 'invalid_redirect_uri';

  constructor(error: RegistrationRefusedError['error'], message: string) {
    super(message);
    this.name = 'RegistrationRefusedError';
    this.error = error;
  }
}

/** The metadata of a client that the client itself chooses. */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post' | 'none';
  readonly grant_types: readonly string[];
  readonly response_types: readonly ['code'];
  readonly scope: string;
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly software_id?: string;
  readonly software_version?: string;
}

const MAX_REDIRECT_URIS = 10;
const MAX_URI_LENGTH = 2048;
const MAX_TEXT_LENGTH = 256;
const PRINTABLE = /^[\x20-\x7e]*$/;
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const DEFAULT_SCOPES = ['openid', 'profile', 'email', 'offline_access'];
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** A web URL with its host as browsers read it. Excludes `https:host`, and spellings in which a host only resembles another host. */
const WEB_HOST = /^https?:\/\/(\[[\da-f:.]+\]|[^/?#:[\]]+)(?::\d*)?(?:[/?]|$)/i;
/** Schemes that browsers execute or interpret themselves, or that open no application. */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome:',
  'data:',
  'edge:',
  'file:',
  'filesystem:',
  'ftp:',
  'jar:',
  'javascript:',
  'mailto:',
  'resource:',
  'sms:',
  'tel:',
  'urn:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

type RedirectKind = 'https' | 'loopback' | 'private-use';

/** @throws RegistrationRefusedError */
export function readRegistration(
  body: unknown,
  { scopes: supported, registration }: Pick<AuthServerPlan, 'registration' | 'scopes'>,
): ClientMetadata {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw createMetadataError('the body is not a JSON object');
  const wish = body as Readonly<Record<string, unknown>>;
  const uris = readRedirectUris(wish.redirect_uris);
  const kinds = uris.map(classifyUri);
  return {
    redirect_uris: uris,
    // `native`, because oidc-provider lets only native applications use another port than the registered one.
    application_type: kinds.every(kind => kind === 'https') ? 'web' : 'native',
    token_endpoint_auth_method: readAuthMethod(wish.token_endpoint_auth_method, uris, kinds, registration),
    grant_types: readGrantTypes(wish.grant_types),
    response_types: readResponseTypes(wish.response_types),
    scope: [...new Set([...readScopes(wish.scope, supported), ...registration.baselineScopes])].join(' '),
    ...readText('client_name', wish.client_name),
    ...readText('software_id', wish.software_id),
    ...readText('software_version', wish.software_version),
    ...readClientUri(wish.client_uri),
  };
}

function readRedirectUris(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS)
    throw redirect(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URIs`);
  for (const uri of value) if (typeof uri !== 'string') throw redirect('a redirect URI is not a text');
  return [...new Set(value as string[])];
}

function classifyUri(uri: string): RedirectKind {
  const url = URL.parse(uri);
  if (url === null || uri.length > MAX_URI_LENGTH || !PRINTABLE.test(uri) || /[\s\\]/.test(uri))
    throw redirect('a redirect URI is not an absolute URI');
  if (uri.includes('#')) throw redirect('a redirect URI has a fragment');
  if (url.username !== '' || url.password !== '') throw redirect('a redirect URI has a user name or a password');
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(uri.replace(/[?].*$/, '').replace(/^[^:]+:\/\/[^/]*/, '')))
    throw redirect('a redirect URI has dot segments in its path');
  if (/^https?:$/.test(url.protocol) && WEB_HOST.exec(uri)?.[1]?.toLowerCase() !== url.hostname)
    throw redirect('the host of a redirect URI is written in an unusual way');
  if (url.protocol === 'https:') return 'https';
  if (url.protocol === 'http:') {
    if (LOOPBACK_HOSTS.has(url.hostname)) return 'loopback';
    throw redirect('a redirect URI of plain http leads to another host than localhost, 127.0.0.1 and [::1]');
  }
  if (FORBIDDEN_SCHEMES.has(url.protocol)) throw redirect('a redirect URI has a scheme that no application can have');
  return 'private-use';
}

function readAuthMethod(
  value: unknown,
  uris: readonly string[],
  kinds: readonly RedirectKind[],
  { allowsSecrets, secretRedirectUris }: AuthServerPlan['registration'],
): ClientMetadata['token_endpoint_auth_method'] {
  if (uris.some(uri => secretRedirectUris.includes(uri))) {
    return value === 'client_secret_basic' ? value : 'client_secret_post';
  }
  if (value === undefined || value === 'none') return 'none';
  if (value !== 'client_secret_basic' && value !== 'client_secret_post')
    throw createMetadataError('token_endpoint_auth_method is not supported');
  if (!allowsSecrets)
    throw createMetadataError('clients with a secret cannot register here: use token_endpoint_auth_method none');
  const areRemote = uris.every((uri, index) => {
    return kinds[index] === 'https' && !LOOPBACK_HOSTS.has(URL.parse(uri)?.hostname ?? '');
  });
  if (!areRemote) throw redirect('redirect URIs of clients with a secret must be https and not on loopback');
  return value;
}

function readGrantTypes(value: unknown): readonly string[] {
  if (value === undefined) return GRANT_TYPES;
  if (!Array.isArray(value) || !value.includes('authorization_code') || value.some(type => !GRANT_TYPES.includes(type)))
    throw createMetadataError(`grant_types must have authorization_code, and may have refresh_token`);
  return [...new Set(value as string[])];
}

function readResponseTypes(value: unknown): readonly ['code'] {
  if (value === undefined || (Array.isArray(value) && value.length === 1 && value[0] === 'code')) return ['code'];
  throw createMetadataError('response_types must have only code');
}

function readScopes(value: unknown, supported: readonly string[]): readonly string[] {
  if (value === undefined || value === '') return DEFAULT_SCOPES;
  if (typeof value !== 'string') throw createMetadataError('scope is not a text');
  const scopes = value.split(' ').filter(scope => scope !== '');
  const unknown = scopes.find(scope => !supported.includes(scope));
  if (unknown !== undefined) throw createMetadataError('scope has a value that is not supported here');
  return scopes;
}

function readText<N extends string>(name: N, value: unknown): { readonly [K in N]?: string } {
  if (value === undefined) return {};
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH || !PRINTABLE.test(value))
    throw createMetadataError(`${name} must be a text of at most ${MAX_TEXT_LENGTH} printable ASCII characters`);
  return { [name]: value } as { readonly [K in N]?: string };
}

function readClientUri(value: unknown): { readonly client_uri?: string } {
  if (value === undefined) return {};
  if (typeof value !== 'string' || value.length > MAX_URI_LENGTH || !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
    throw createMetadataError('client_uri is not a web address');
  return { client_uri: value };
}

function createMetadataError(message: string): RegistrationRefusedError {
  return new RegistrationRefusedError('invalid_client_metadata', message);
}

function redirect(message: string): RegistrationRefusedError {
  return new RegistrationRefusedError('invalid_redirect_uri', message);
}
