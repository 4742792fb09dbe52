/** Wording that the terminal and Markdown formats share. */

import { carriesCredential } from '../credential.ts';
import type {
  Authentication,
  Credential,
  ExposedBackend,
  ForwardedHeader,
  Hints,
  OwnSecret,
  SecretUse,
} from '../exposure.ts';
import { listSaferHints, toBackendHints } from '../report-hints.ts';

/**
 * The hints of a tool in words, such as `writes, destructive*`: the star marks a hint from an override, `?` a missing hint. If the spec calls the
 * tool safer than the backend does, the backend's hints are added.
 */
export function formatHints(hints: Hints): string {
  const text = joinHints(hints);
  return listSaferHints(hints).length === 0 ? text : `${text}, but ${joinHints(toBackendHints(hints))} by its backend`;
}

function joinHints(hints: Hints): string {
  const { readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint, openWorldHint } = hints;
  const found: string[] = [];
  const add = (hint: Hints[keyof Hints], yes: string, no = '') => {
    const word = hint?.value === true ? yes : no;
    if (hint !== undefined && word !== '') found.push(`${word}${hint.from === 'override' ? '*' : ''}`);
  };
  add(readOnly, 'read-only', 'writes');
  // A read-only tool destroys nothing; a tool that writes may destroy, unless a hint denies it.
  if (readOnly?.value !== true) add(destructive, 'destructive', 'additive');
  if (readOnly?.value === false && destructive === undefined) found.push('destructive?');
  add(idempotentHint, 'idempotent');
  add(openWorldHint, 'open world');
  return found.join(', ') || '?';
}

export function formatAuthentication(authentication: Authentication): string {
  if (authentication.type === 'anonymous') return 'anyone who can connect';
  if (authentication.type === 'local') return 'anyone on the machine itself, as the user who runs the gateway';
  const { issuer, audience, scopes = [] } = authentication;
  const from = issuer === null ? 'an issuer outside these sources' : issuer;
  const extent = scopes.length === 0 ? '' : `, with ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(' ')}`;
  return `callers with a token of ${from}${audience === null ? '' : ` for ${audience}`}${extent}`;
}

const STRATEGIES: { readonly [S in Credential['strategy']]: string } = {
  none: 'none',
  headers: 'headers',
  header_injection: 'fixed header',
  token_exchange: 'exchanged token',
  upstream_inject: 'upstream token',
  aws_sts: 'AWS role',
  obo: 'on-behalf-of token',
  xaa: 'cross-application token',
};

export function formatStrategy({ strategy }: Credential): string {
  return STRATEGIES[strategy];
}

/** Strategies that exchange an upstream's token or the caller's own. */
const TRADED: ReadonlySet<Credential['strategy']> = new Set(['token_exchange', 'aws_sts', 'obo']);

/** Describes the parts of the credential and where its secrets are stored. */
export function formatCredential({
  strategy,
  header,
  provider,
  tokenUrl,
  audience,
  scopes,
  region,
  roles,
  ...rest
}: Credential): string {
  const parts = [
    rest.from === null ? undefined : `chosen in ${rest.from.kind} ${rest.from.name}`,
    header && `header ${header}`,
    provider && `from upstream ${provider}`,
    !provider && TRADED.has(strategy) && "from the caller's own token",
    audience && `for ${audience}`,
    tokenUrl && `at ${tokenUrl}`,
    scopes && `scopes ${scopes.join(' ')}`,
    region && `in ${region}`,
    roles && roles.length > 0 && `as ${roles.join(' or ')}`,
    ...rest.secrets.map(formatSecret),
  ];
  return parts.filter(part => part !== undefined && part !== false && part !== '').join(', ');
}

function formatSecret({ use, from }: SecretUse): string {
  return `${use} in ${formatSecretPlace(from)}`;
}

export function formatSecretPlace(from: SecretUse['from']): string {
  return from.type === 'secret' ? `key ${from.key} of Secret ${from.name}` : `the variable ${from.name}`;
}

/** A row of a table, and a node of the graph. */
export interface CredentialWords {
  /** The credential that the gateway sends, or that the server has. */
  readonly credential: string;
  /** The identity of the calls. */
  readonly as: string;
  readonly details: string;
  /** A short text that says where the secret is, such as `oauth/github`. Empty when there is no secret, or several. */
  readonly short: string;
}

/** One row for each credential: those that the gateway sends to the backend, and the server's own secrets. "Nothing" is a row as well. */
export function describeCredentials(backend: ExposedBackend): readonly CredentialWords[] {
  const { credential, headers, urlSecret, ownSecrets = [] } = backend;
  const sent = {
    credential: formatStrategy(credential),
    as: credential.identity,
    details: formatCredential(credential),
    short: credential.secrets.length === 1 ? credential.secrets.map(({ from }) => formatShortPlace(from)).join('') : '',
  };
  const all: readonly CredentialWords[] = [
    // Each header with a credential gets a row of its own.
    ...(credential.strategy === 'none' || credential.strategy === 'headers' ? [] : [sent]),
    ...headers.filter(header => carriesCredential(header, credential)).map(describeHeader),
    ...(urlSecret === undefined
      ? []
      : [
          {
            credential: 'fixed URL',
            as: 'gateway',
            details: `parameter ${urlSecret} of the URL, in the clear`,
            short: urlSecret,
          },
        ]),
    ...(ownSecrets.length === 0
      ? []
      : [{ credential: 'its own', as: 'server', details: ownSecrets.map(formatOwnSecret).join(', '), short: '' }]),
  ];
  return all.length === 0 ? [sent] : all;
}

function describeHeader({ name, from, secret }: ForwardedHeader): CredentialWords {
  if (from === 'caller')
    return {
      credential: "caller's header",
      as: 'caller',
      details: `header ${name}, as the caller sends it`,
      short: name,
    };
  const location =
    from === 'spec' ? 'in the clear' : secret === undefined ? 'in a Secret' : `in ${formatSecretPlace(secret)}`;
  const short = secret === undefined ? name : formatShortPlace(secret);
  return { credential: 'fixed header', as: 'gateway', details: `header ${name}, header value ${location}`, short };
}

function formatShortPlace(from: SecretUse['from']): string {
  return from.type === 'secret' ? `${from.name}/${from.key}` : from.name;
}

export function formatOwnSecret({ name, from }: OwnSecret): string {
  const what = name.includes(' ') ? name : `variable ${name}`;
  switch (from.type) {
    case 'spec':
      return `${what} in the clear`;
    case 'env':
      return `${what} of the shell that starts it`;
    case 'account':
      return from.name === '' ? `${what}: the service account of its pod` : `${what} ${from.name}`;
    case 'file':
      return `${what} from ${from.path}`;
    case 'object':
      return `${what} by ${from.kind} ${from.name}`;
    case 'secret':
      if (name === ALL_KEYS) return `a variable for each key of Secret ${from.name}`;
      return from.key === ALL_KEYS
        ? `${what} from Secret ${from.name}`
        : `${what} from key ${from.key} of Secret ${from.name}`;
  }
}

const ALL_KEYS = '*';

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
