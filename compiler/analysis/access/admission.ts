/** Whether a server admits a caller with certain claims, and which principal its policies see. */
import type { IncomingAuthPlan, TokenAuthPlan } from '#schemas';
import { type CedarCaller, readScopes } from '#shared/plan';
import { describeFound, formatList, quote } from '../../text/describe.ts';
import type { GatewayModel } from '../gateway/model.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Values of the moment, such as the time, that neither the spec nor the claims contain. */
export interface EvaluationContext {
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** The user as which a gateway on this machine would run. */
  readonly user: string;
}

export interface Admission {
  /** The principal of the policies; undefined for an unauthenticated caller. */
  readonly caller: CedarCaller | undefined;
  /** Why the gateway refuses the caller; empty when it admits the caller. */
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** A server that authenticates callers. */
export interface AdmittingServer {
  /** What messages call the server. */
  readonly kind: 'gateway' | 'registry server';
  readonly incomingAuth: IncomingAuthPlan;
  /** Whether the server signs callers in itself, so that its tokens stand for those of an upstream. */
  readonly signsIn: boolean;
}

export function toAdmittingServer({ plan, resource }: Pick<GatewayModel, 'plan' | 'resource'>): AdmittingServer {
  const { incomingAuth } = plan;
  return { kind: 'gateway', incomingAuth, signsIn: resource.spec.authServerConfig !== undefined };
}

const ANONYMOUS: CedarCaller | undefined = undefined;

/** The issuer of callers under `local` authentication. */
const LOCAL_ISSUER = 'lintel-local';

/** Claims that every accepted token has, besides `sub`. */
const ALWAYS_THERE = ['iss', 'aud', 'exp'];

/**
 * A persona lists some claims of a token. A claim that it leaves out is assumed to be correct; only a claim that it states can be refused. If
 * the gateway accepts a single issuer, policies see that one. Expiry is ignored, so that the answer does not change with the date.
 *
 * @param claims undefined: the caller has no token
 */
export function authenticateCaller(
  server: AdmittingServer,
  claims: Claims | undefined,
  { now, user }: EvaluationContext,
): Admission {
  const { kind, incomingAuth, signsIn } = server;
  if (incomingAuth.type === 'anonymous') {
    const notes = claims === undefined ? [] : [`the ${kind} authenticates no caller, so claims have no effect`];
    return { caller: ANONYMOUS, refusals: [], notes };
  }
  if (incomingAuth.type === 'local') {
    const subject = typeof claims?.sub === 'string' && claims.sub !== '' ? claims.sub : user;
    const note = `every caller is the user that runs the gateway, assumed here to be ${quote(subject)}`;
    return {
      caller: { subject, claims: { iss: LOCAL_ISSUER, sub: subject, name: subject } },
      refusals: [],
      notes: [note],
    };
  }
  if (claims === undefined) {
    return { caller: ANONYMOUS, refusals: [`the ${kind} requires a token, and the caller has none`], notes: [] };
  }
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') {
    return { caller: ANONYMOUS, refusals: ['the claims name no subject: "sub" must be a text'], notes: [] };
  }
  const caller = { subject: sub, claims: { ...claims, ...chooseIssuer(server, claims) } };
  if (signsIn) {
    const note =
      'the claims are read as the claims of the upstream token that the authorization server of the gateway stores';
    return { caller, refusals: [], notes: [note] };
  }
  return {
    caller,
    refusals: listRefusals(kind, incomingAuth, claims),
    notes: describeTokenTimes(claims, now),
  };
}

function listRefusals(
  kind: AdmittingServer['kind'],
  { providers, requiredScopes }: TokenAuthPlan,
  claims: Claims,
): readonly string[] {
  const { iss, aud, cnf } = claims;
  const refusals: string[] = [];
  const issuers = providers.filter(({ issuer }) => iss === undefined || issuer === iss);
  if (issuers.length === 0) {
    const accepted = providers.map(({ issuer }) => quote(issuer)).join(' and ');
    refusals.push(
      `the issuer is ${formatValue(iss)}, and the ${kind} accepts only tokens of ${accepted}, compared byte for byte`,
    );
  }
  const accepting = issuers.length === 0 ? providers : issuers;
  if (aud !== undefined && !accepting.some(({ audience }) => isFor(aud, audience))) {
    const accepted = accepting.map(({ audience }) => quote(audience)).join(' and ');
    refusals.push(`the audience is ${formatValue(aud)}, and the ${kind} accepts only tokens for ${accepted}`);
  }
  const scopes = readScopes(claims);
  const missing = requiredScopes.filter(scope => !scopes.has(scope));
  if (hasScopes(claims) && missing.length > 0) refusals.push(`the scopes lack ${missing.map(quote).join(' and ')}`);
  if (cnf !== undefined) refusals.push('the token is bound to a key (cnf), which is not supported');
  return refusals;
}

/** A list that holds anything but strings matches no audience. */
function isFor(aud: unknown, audience: string): boolean {
  return Array.isArray(aud)
    ? aud.includes(audience) && aud.every(value => typeof value === 'string')
    : aud === audience;
}

function hasScopes({ scope, scp }: Claims): boolean {
  return scope !== undefined || scp !== undefined;
}

/**
 * The issuer of a token when the gateway has no choice of issuers. An introspection response may lack the issuer (RFC 7662, section 2.2). The
 * audience does not identify the issuer, since a token may have several audiences.
 */
function chooseIssuer({ incomingAuth, signsIn }: AdmittingServer, { iss }: Claims): { readonly iss?: string } {
  if (incomingAuth.type !== 'oidc' || iss !== undefined || signsIn) return {};
  const [only, ...others] = incomingAuth.providers;
  return only === undefined || others.length > 0 || only.introspection !== null ? {} : { iss: only.issuer };
}

/** Claims that every accepted token has and that the question leaves out: their values, as policies would see them, are unknown. */
export function listAbsentClaims(
  { incomingAuth }: Pick<AdmittingServer, 'incomingAuth'>,
  claims: Claims,
): readonly string[] {
  if (incomingAuth.type !== 'oidc') return [];
  const absent = ALWAYS_THERE.filter(name => claims[name] === undefined);
  return incomingAuth.requiredScopes.length > 0 && !hasScopes(claims) ? [...absent, 'scope'] : absent;
}

function describeTokenTimes({ exp, nbf }: Claims, now: number): readonly string[] {
  const notes: string[] = [];
  if (typeof exp === 'number' && exp * 1000 <= now) notes.push(`a token with these claims has expired${on(exp)}`);
  if (typeof nbf === 'number' && nbf * 1000 > now) notes.push(`a token with these claims is not valid yet${on(nbf)}`);
  return notes;
}

/** A time as text. Time claims are seconds since 1970 (RFC 7519, section 2), and may be fractional or negative. */
function on(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : `: ${date.toISOString()}`;
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : formatList(value.map(formatValue));
  return typeof value === 'string' ? quote(value) : describeFound(value, true);
}
