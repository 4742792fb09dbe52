import { isObject } from '#schemas';
import type { CedarCaller } from '#shared/plan';
import type { AuthenticatedCaller, UpstreamToken } from '../identity.ts';

/** Claims about the person, which many providers put only into the ID token. */
const NAMES = ['name', 'email'] as const;

/**
 * A caller with the claims of an upstream's access token. The token is not verified, because it came from the upstream's token endpoint. A token
 * that is not a JWT adds nothing, and the caller's own claims stay.
 *
 * @returns undefined if the caller has no upstream token, or a JWT without a subject
 */
export function toUpstreamCaller(
  { subject, claims }: AuthenticatedCaller,
  token: UpstreamToken | undefined,
): CedarCaller | undefined {
  if (token === undefined) return undefined;
  const tokenClaims = parseClaims(token.accessToken);
  if (tokenClaims === undefined) return { subject, claims };
  if (typeof tokenClaims.sub !== 'string' || tokenClaims.sub === '') return undefined;
  return { subject: tokenClaims.sub, claims: { ...readClaims(token.idToken), ...tokenClaims } };
}

function readClaims(idToken: string | null): Record<string, unknown> {
  const claims = idToken === null ? undefined : parseClaims(idToken);
  return Object.fromEntries(NAMES.flatMap(name => (claims?.[name] === undefined ? [] : [[name, claims[name]]])));
}

/** The claims of a JWT; undefined for any other token. Does not use `jose`, which is loaded only when a token has to be verified. */
function parseClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [header = '', payload = '', ...more] = token.split('.');
  return more.length !== 1 || parseObject(header) === undefined ? undefined : parseObject(payload);
}

function parseObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
