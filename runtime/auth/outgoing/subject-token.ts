import type { SubjectPlan } from '#schemas';
import type { AuthenticatedCaller, Identity, UpstreamToken, UpstreamTokensOfCaller } from '../identity.ts';
import { CredentialError } from './credential.ts';

/** A token that identifies the caller to a token endpoint. */
export interface SubjectToken {
  readonly token: string;
  /** Milliseconds since 1970; null when unknown. */
  readonly expiresAt: number | null;
  /** Reports that the token endpoint refused the token. */
  refused(): void;
}

/** Presents a token to a token endpoint. If the endpoint's error means that the caller has to sign in again, the token is reported as refused. */
export async function presentToken<T>(subject: SubjectToken, to: (token: string) => Promise<T>): Promise<T> {
  try {
    return await to(subject.token);
  } catch (error) {
    if (error instanceof CredentialError && error.fault === 'caller') subject.refused();
    throw error;
  }
}

/**
 * The caller's token that a plan presents.
 * @throws CredentialError if the caller has no such token, or the token has expired
 */
export function getSubjectToken(strategy: string, plan: SubjectPlan, identity: Identity, now: number): SubjectToken {
  const caller = requireCaller(strategy, identity);
  if (plan.type === 'upstream') {
    const { provider } = plan;
    const { accessToken, expiresAt } = getUpstreamToken(strategy, provider, caller.upstreamTokens, now);
    return { token: accessToken, expiresAt, refused: () => caller.upstreamTokens.refused(provider, accessToken) };
  }
  const { token, expiresAt } = caller;
  if (token === null) {
    throw new CredentialError('gateway', `${strategy}: the caller has no token that could be exchanged`);
  }
  if (expiresAt <= now)
    throw new CredentialError('caller', `${strategy}: the token of the caller has expired; log in again`);
  return { token, expiresAt, refused: () => {} };
}

/**
 * The token that an upstream issued for a caller.
 * @throws CredentialError if there is no such token, or the token has expired
 */
export function getUpstreamToken(
  strategy: string,
  provider: string,
  tokens: UpstreamTokensOfCaller,
  now: number,
): UpstreamToken {
  const found = tokens.get(provider);
  const upstream = JSON.stringify(provider);
  if (found === undefined) {
    throw new CredentialError('caller', `${strategy}: upstream token not found: log in again, at ${upstream}`);
  }
  if (found.expiresAt !== null && found.expiresAt <= now) {
    throw new CredentialError('caller', `${strategy}: the token of upstream ${upstream} has expired; log in again`);
  }
  return found;
}

/** @throws CredentialError for an unauthenticated caller, for whom another sign-in does not help */
export function requireCaller(strategy: string, { caller }: Identity): AuthenticatedCaller {
  if (caller !== undefined) return caller;
  const fix = 'callers have to be authenticated by incomingAuth of type oidc';
  throw new CredentialError(
    'gateway',
    `${strategy}: the caller is anonymous, so there is no token to exchange; ${fix}`,
  );
}
