/**
 * Credentials of parts that only one side has, such as a new backend, or a backend with another name and another host. Each credential and its
 * receiver are compared with all that the other side sends, so that a secret that goes to another receiver is found under any name.
 */
import { carriesCredential } from '../credential.ts';
import type { ExposedBackend } from '../exposure.ts';
import type { SentCredential } from '../registry/registry-exposure.ts';
import type { Alarm } from './difference.ts';
import { readOrigin } from './read-origin.ts';
import { formatProgram } from './workload-changes.ts';

/** Something secret, and the host or program that gets it. */
interface SentSecret {
  /** A secret by its reference, or a description of what belongs to callers. */
  readonly what: string;
  readonly origin: string;
  /** Set if a program gets the secret. It does not matter on which host the program runs. */
  readonly isOwn?: true;
}

/** @param after what a new item sends; @param before what all items of the other side sent */
export function findNewCredential(after: readonly SentSecret[], before: readonly SentSecret[]): Alarm | undefined {
  const others = after.filter(one => !before.some(({ what, origin }) => what === one.what && origin === one.origin));
  if (others.length === 0) return undefined;
  const moved = others.filter(({ what }) => before.some(known => known.what === what));
  if (moved.length === 0) return 'newCredential';
  return moved.every(({ isOwn }) => isOwn === true) ? 'otherProgram' : 'otherHost';
}

export function listSecretsSentTo(backend: ExposedBackend): readonly SentSecret[] {
  const { credential, headers, url, urlSecret, ownSecrets = [] } = backend;
  const {
    strategy,
    identity,
    provider = '',
    tokenUrl,
    audience = '',
    scopes = [],
    region = '',
    roles = [],
  } = credential;
  const origin = readOrigin(url);
  // The client authenticates at the token endpoint; a header goes to the backend.
  const secrets = credential.secrets.map(({ use, from }) => ({
    what: JSON.stringify(from),
    origin: use !== 'header value' && tokenUrl !== undefined ? readOrigin(tokenUrl) : origin,
  }));
  const kind = JSON.stringify([strategy, provider, audience, scopes, region, roles]);
  const ofCaller = identity === 'caller' ? [{ what: `the caller's: ${kind}`, origin }] : [];
  const exchanged =
    identity === 'caller' && tokenUrl !== undefined
      ? [{ what: `the caller's ${provider} to exchange`, origin: readOrigin(tokenUrl) }]
      : [];
  const others = headers
    .filter(header => carriesCredential(header, credential))
    .map(({ name, from, secret }) => ({ what: JSON.stringify(secret ?? [from, name.toLowerCase()]), origin }));
  return [
    ...secrets,
    ...ofCaller,
    ...exchanged,
    ...others,
    ...(urlSecret === undefined ? [] : [{ what: `the parameter ${urlSecret} of ${url}`, origin }]),
    ...ownSecrets.map(({ name, from }) => ({
      what: `own ${JSON.stringify(from.type === 'spec' ? [from, name] : from)}`,
      origin: formatProgram(backend),
      isOwn: true as const,
    })),
  ];
}

export function listSecretsOf({ use, url, type, username, file }: SentCredential): readonly SentSecret[] {
  const origin = readOrigin(url);
  return [
    ...(file === undefined ? [] : [{ what: `file ${file}`, origin }]),
    ...(file === undefined && type !== 'none' ? [{ what: `${type} ${username ?? ''}`, origin }] : []),
    ...(use === 'introspection' ? [{ what: "callers' tokens", origin }] : []),
  ];
}
