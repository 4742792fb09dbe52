/** The person who signed in, according to an upstream. */
import { createHash } from 'node:crypto';
import type { UpstreamPlan, UserInfoPlan } from '#schemas';
import { getValueAt, toText } from './paths.ts';
import type { UpstreamTokenSet } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

export interface Person {
  /** The `sub` of this server's tokens: unique for a person at an upstream. */
  readonly id: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  /** The upstream does not identify the person, so each of its tokens counts as a new person. */
  readonly isSynthetic: boolean;
}

/** An upstream's statements about a person. */
export interface Evidence {
  readonly tokens: UpstreamTokenSet;
  /** The verified claims of the ID token; undefined without one. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** The response of the token endpoint. */
  readonly body: unknown;
}

/**
 * @param ask fetches the userinfo response; without a URL, from the endpoint in the discovery document
 * @throws UpstreamError
 */
export async function identifyPerson(
  plan: UpstreamPlan,
  { tokens, claims, body }: Evidence,
  ask: (url: string | undefined) => Promise<unknown>,
): Promise<Person> {
  if (plan.type === 'oidc') {
    const subject = toText(claims?.[plan.subjectClaim]);
    if (subject === undefined)
      throw new UpstreamError('unavailable', plan.name, `its ID token has no claim "${plan.subjectClaim}"`);
    if (plan.userInfo === null) return toPerson(plan, subject, toText(claims?.name), toText(claims?.email));
    const userInfo = await ask(plan.userInfo.url);
    const { name, email, subject: other } = readFields(plan.userInfo, userInfo);
    // OpenID Connect Core 1.0, section 5.3.2: a response about another person must not be used.
    if (plan.subjectClaim === 'sub' && other !== undefined && other !== subject)
      throw new UpstreamError('unavailable', plan.name, 'its userinfo endpoint returns another subject');
    return toPerson(plan, subject, name ?? toText(claims?.name), email ?? toText(claims?.email));
  }
  if (plan.identityFromToken !== null) {
    const { subjectPath, namePath, emailPath } = plan.identityFromToken;
    const subject = toText(getValueAt(body, subjectPath));
    if (subject === undefined) throw new UpstreamError('unavailable', plan.name, 'its token response has no subject');
    const at = (path: string | null) => (path === null ? undefined : toText(getValueAt(body, path)));
    return toPerson(plan, subject, at(namePath), at(emailPath));
  }
  if (plan.userInfo !== null) {
    const { subject, name, email } = readFields(plan.userInfo, await ask(plan.userInfo.url));
    if (subject === undefined)
      throw new UpstreamError('unavailable', plan.name, 'the response of its userinfo endpoint has no subject');
    return toPerson(plan, subject, name, email);
  }
  const digest = createHash('sha256').update(tokens.accessToken).digest('hex');
  return { id: `tk-${digest.slice(0, 32)}`, name: undefined, email: undefined, isSynthetic: true };
}

function toPerson(plan: UpstreamPlan, subject: string, name: string | undefined, email: string | undefined): Person {
  return { id: deriveUserId(plan, subject), name, email, isSynthetic: false };
}

/**
 * A UUID (RFC 9562, version 8) derived from the person's identity: it is the same on each replica and after each restart, and no table of
 * persons is needed.
 */
export function deriveUserId(plan: UpstreamPlan, subject: string): string {
  const authority = plan.type === 'oidc' ? plan.issuer : plan.tokenEndpoint;
  return deriveUuid([plan.name, authority, subject]);
}

/** A UUID (version 8) that is the same only for the same parts. */
export function deriveUuid(parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function readFields({ subjectFields, nameFields, emailFields }: UserInfoPlan, userInfo: unknown) {
  const first = (fields: readonly string[]) => fields.map(field => toText(getValueAt(userInfo, field))).find(Boolean);
  return { subject: first(subjectFields), name: first(nameFields), email: first(emailFields) };
}
