/** Whether a caller with certain claims gets into a gateway, and whom its policies then see. */
import { type CedarCaller, readScopes, type TokenAuthPlan } from '#schemas';
import { describeFound, listed, quote } from '../../text/describe.ts';
import type { GatewayModel } from '../gateway/model.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** What is so at the time of asking, and neither spec nor claims say. */
export interface EvaluationContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Who a gateway on this machine would run as. */
  readonly user: string;
}

export interface Admission {
  /** Whom policies see; undefined is an unauthenticated caller. */
  readonly caller: CedarCaller | undefined;
  /** Why the gateway does not let the caller in; empty when it does. */
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

type Gateway = Pick<GatewayModel, 'plan' | 'resource'>;

const NOBODY: CedarCaller | undefined = undefined;

/** The issuer of callers of `local`. */
const LOCAL_ISSUER = 'lintel-local';

/** Claims that every accepted token has, besides `sub`. */
const ALWAYS_THERE = ['iss', 'aud', 'exp'];

/**
 * A persona is no token: claims that it does not have are taken as they should be, and only those that are there can be wrong; where
 * there is one issuer, policies see it. Neither is time: a token that was valid once is no other caller, so that answers stay what they are.
 *
 * @param claims undefined: the caller has no token
 */
export function authenticateCaller(
  { plan, resource }: Gateway,
  claims: Claims | undefined,
  { now, user }: EvaluationContext,
): Admission {
  const { incomingAuth } = plan;
  if (incomingAuth.type === 'anonymous') {
    const notes = claims === undefined ? [] : ['the gateway authenticates no caller, so claims play no part'];
    return { caller: NOBODY, refusals: [], notes };
  }
  if (incomingAuth.type === 'local') {
    const subject = typeof claims?.sub === 'string' && claims.sub !== '' ? claims.sub : user;
    const note = `every caller is the user that runs the gateway, here taken to be ${quote(subject)}`;
    return {
      caller: { subject, claims: { iss: LOCAL_ISSUER, sub: subject, name: subject } },
      refusals: [],
      notes: [note],
    };
  }
  if (claims === undefined) {
    return { caller: NOBODY, refusals: ['the gateway demands a token, and the caller has none'], notes: [] };
  }
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') {
    return { caller: NOBODY, refusals: ['the claims name no subject: "sub" has to be a text'], notes: [] };
  }
  const caller = { subject: sub, claims: { ...claims, ...chooseIssuer({ plan, resource }, claims) } };
  if (resource.spec.authServerConfig !== undefined) {
    const note =
      'the claims are taken to be those of the upstream token that the authorization server of the gateway has';
    return { caller, refusals: [], notes: [note] };
  }
  return {
    caller,
    refusals: listRefusals(incomingAuth, claims),
    notes: timeNotes(claims, now),
  };
}

function listRefusals({ providers, requiredScopes }: TokenAuthPlan, claims: Claims): readonly string[] {
  const { iss, aud, cnf } = claims;
  const refusals: string[] = [];
  const issuers = providers.filter(({ issuer }) => iss === undefined || issuer === iss);
  if (issuers.length === 0) {
    const taken = providers.map(({ issuer }) => quote(issuer)).join(' and ');
    refusals.push(`the issuer is ${shown(iss)}, and the gateway takes tokens of ${taken}, byte for byte`);
  }
  const accepting = issuers.length === 0 ? providers : issuers;
  if (aud !== undefined && !accepting.some(({ audience }) => isFor(aud, audience))) {
    const taken = accepting.map(({ audience }) => quote(audience)).join(' and ');
    refusals.push(`the audience is ${shown(aud)}, and the gateway takes tokens for ${taken}`);
  }
  const scopes = readScopes(claims);
  const missing = requiredScopes.filter(scope => !scopes.has(scope));
  if (hasScopes(claims) && missing.length > 0) refusals.push(`the scopes lack ${missing.map(quote).join(' and ')}`);
  if (cnf !== undefined) refusals.push('the token is bound to a key (cnf), which is not supported');
  return refusals;
}

/** A list with anything but texts matches no caller. */
function isFor(aud: unknown, audience: string): boolean {
  return Array.isArray(aud) ? aud.includes(audience) && aud.every(one => typeof one === 'string') : aud === audience;
}

function hasScopes({ scope, scp }: Claims): boolean {
  return scope !== undefined || scp !== undefined;
}

/**
 * The issuer of a token where there is no choice. The answer of an introspection may name none (RFC 7662, section 2.2); and an audience
 * is never certain, since a token may be for others too.
 */
function chooseIssuer({ plan, resource }: Gateway, { iss }: Claims): { readonly iss?: string } {
  const { incomingAuth } = plan;
  if (incomingAuth.type !== 'oidc' || iss !== undefined || resource.spec.authServerConfig !== undefined) return {};
  const [only, ...others] = incomingAuth.providers;
  return only === undefined || others.length > 0 || only.introspection !== null ? {} : { iss: only.issuer };
}

/** Claims of every accepted token that are not among these, so that it is unknown what policies would find there. */
export function absentClaims({ plan: { incomingAuth } }: Pick<Gateway, 'plan'>, claims: Claims): readonly string[] {
  if (incomingAuth.type !== 'oidc') return [];
  const absent = ALWAYS_THERE.filter(name => claims[name] === undefined);
  return incomingAuth.requiredScopes.length > 0 && !hasScopes(claims) ? [...absent, 'scope'] : absent;
}

function timeNotes({ exp, nbf }: Claims, now: number): readonly string[] {
  const notes: string[] = [];
  if (typeof exp === 'number' && exp * 1000 <= now) notes.push(`a token with these claims has expired${on(exp)}`);
  if (typeof nbf === 'number' && nbf * 1000 > now) notes.push(`a token with these claims is not valid yet${on(nbf)}`);
  return notes;
}

/** Claims of time are seconds since 1970 (RFC 7519, section 2), and may be any number. */
function on(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : `: ${date.toISOString()}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : listed(value.map(shown));
  return typeof value === 'string' ? quote(value) : describeFound(value, true);
}
