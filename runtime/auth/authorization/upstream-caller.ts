import type { CedarCaller } from '#schemas';
import { isObject } from '#schemas';
import type { AuthenticatedCaller, UpstreamToken } from '../identity.ts';

/** Claims by which people are named, and which providers put into ID tokens alone. */
const NAMES = ['name', 'email'] as const;

/**
 * A caller as the access token of an upstream describes it. The token is not verified: it came from the token endpoint of that upstream.
 * One that is no JWT says nothing, and the claims of the caller's own token stand.
 *
 * @returns undefined where the upstream has named no person
 */
export function upstreamCaller(
  { subject, claims }: AuthenticatedCaller,
  token: UpstreamToken | undefined,
): CedarCaller | undefined {
  if (token === undefined) return undefined;
  const tokenClaims = parseClaims(token.accessToken);
  if (tokenClaims === undefined) return { subject, claims };
  if (typeof tokenClaims.sub !== 'string' || tokenClaims.sub === '') return undefined;
  return { subject: tokenClaims.sub, claims: { ...namesIn(token.idToken), ...tokenClaims } };
}

function namesIn(idToken: string | null): Record<string, unknown> {
  const claims = idToken === null ? undefined : parseClaims(idToken);
  return Object.fromEntries(NAMES.flatMap(name => (claims?.[name] === undefined ? [] : [[name, claims[name]]])));
}

/** Undefined for what is no JWT. Not by `jose`, which is loaded with the first token that has to be verified. */
function parseClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [header = '', payload = '', ...more] = token.split('.');
  return more.length !== 1 || objectIn(header) === undefined ? undefined : objectIn(payload);
}

function objectIn(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
