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
import { ownHints, saferHints } from '../judged-hints.ts';

/**
 * Such as `writes, destructive*`: the star marks a hint from an override, `?` a missing hint. What the backend says is added where the spec calls
 * the tool safer.
 */
export function hintsText(hints: Hints): string {
  const text = words(hints);
  return saferHints(hints).length === 0 ? text : `${text}, but ${words(ownHints(hints))} by its backend`;
}

function words(hints: Hints): string {
  const { readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint, openWorldHint } = hints;
  const found: string[] = [];
  const add = (hint: Hints[keyof Hints], yes: string, no = '') => {
    const word = hint?.value === true ? yes : no;
    if (hint !== undefined && word !== '') found.push(`${word}${hint.from === 'override' ? '*' : ''}`);
  };
  add(readOnly, 'read-only', 'writes');
  // A read-only tool destroys nothing; a tool that writes may, unless it says otherwise.
  if (readOnly?.value !== true) add(destructive, 'destructive', 'additive');
  if (readOnly?.value === false && destructive === undefined) found.push('destructive?');
  add(idempotentHint, 'idempotent');
  add(openWorldHint, 'open world');
  return found.join(', ') || '?';
}

export function authenticationText(authentication: Authentication): string {
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

export function strategyText({ strategy }: Credential): string {
  return STRATEGIES[strategy];
}

/** Strategies that exchange an upstream's token or the caller's own. */
const TRADED: ReadonlySet<Credential['strategy']> = new Set(['token_exchange', 'aws_sts', 'obo']);

/** Describes the parts of the credential and where its secrets are stored. */
export function credentialText({
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
    ...rest.secrets.map(secretText),
  ];
  return parts.filter(part => part !== undefined && part !== false && part !== '').join(', ');
}

function secretText({ use, from }: SecretUse): string {
  return `${use} in ${secretPlaceText(from)}`;
}

export function secretPlaceText(from: SecretUse['from']): string {
  return from.type === 'secret' ? `key ${from.key} of Secret ${from.name}` : `the variable ${from.name}`;
}

/** A row of a table, and a node of the graph. */
export interface CredentialWords {
  /** The credential that the gateway sends, or that the server has. */
  readonly credential: string;
  /** The identity of the calls. */
  readonly as: string;
  readonly details: string;
  /** Where its secret is kept, in a few letters, such as `oauth/github`. Empty where there is none, or are several. */
  readonly short: string;
}

/** The credentials with which a backend is called or acts: what the gateway sends to it, and its own secrets. "Nothing" is a row as well. */
export function describeCredentials(backend: ExposedBackend): readonly CredentialWords[] {
  const { credential, headers, urlSecret, ownSecrets = [] } = backend;
  const sent = {
    credential: strategyText(credential),
    as: credential.identity,
    details: credentialText(credential),
    short: credential.secrets.length === 1 ? credential.secrets.map(({ from }) => shortPlace(from)).join('') : '',
  };
  const all: readonly CredentialWords[] = [
    // What stands in headers has a line for each of them.
    ...(credential.strategy === 'none' || credential.strategy === 'headers' ? [] : [sent]),
    ...headers.filter(header => carriesCredential(header, credential)).map(headerWords),
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
      : [{ credential: 'its own', as: 'server', details: ownSecrets.map(ownSecretText).join(', '), short: '' }]),
  ];
  return all.length === 0 ? [sent] : all;
}

function headerWords({ name, from, secret }: ForwardedHeader): CredentialWords {
  if (from === 'caller')
    return {
      credential: "caller's header",
      as: 'caller',
      details: `header ${name}, as the caller sends it`,
      short: name,
    };
  const place =
    from === 'spec' ? 'in the clear' : secret === undefined ? 'in a Secret' : `in ${secretPlaceText(secret)}`;
  const short = secret === undefined ? name : shortPlace(secret);
  return { credential: 'fixed header', as: 'gateway', details: `header ${name}, header value ${place}`, short };
}

function shortPlace(from: SecretUse['from']): string {
  return from.type === 'secret' ? `${from.name}/${from.key}` : from.name;
}

export function ownSecretText({ name, from }: OwnSecret): string {
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

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
