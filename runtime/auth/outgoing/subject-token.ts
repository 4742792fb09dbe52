import type { SubjectPlan } from '#schemas';
import type { AuthenticatedCaller, Identity, UpstreamToken, UpstreamTokensOfCaller } from '../identity.ts';
import { CredentialError } from './credential.ts';

/** A token that says who the caller is, to be handed in somewhere. */
export interface SubjectToken {
  readonly token: string;
  /** Milliseconds since 1970; null when it is not known. */
  readonly expiresAt: number | null;
  /** It was refused where it was handed in. */
  refused(): void;
}

/** Hands a token in. Where another login is asked for it has been refused. */
export async function presentToken<T>(subject: SubjectToken, to: (token: string) => Promise<T>): Promise<T> {
  try {
    return await to(subject.token);
  } catch (error) {
    if (error instanceof CredentialError && error.fault === 'caller') subject.refused();
    throw error;
  }
}

/**
 * The token that a plan hands in for a caller.
 *
 * @throws CredentialError when there is none, or it has ended
 */
export function subjectToken(strategy: string, plan: SubjectPlan, identity: Identity, now: number): SubjectToken {
  const caller = requireCaller(strategy, identity);
  if (plan.type === 'upstream') {
    const { provider } = plan;
    const { accessToken, expiresAt } = upstreamToken(strategy, provider, caller.upstreamTokens, now);
    return { token: accessToken, expiresAt, refused: () => caller.upstreamTokens.refused(provider, accessToken) };
  }
  const { token, expiresAt } = caller;
  if (token === null) {
    throw new CredentialError(
      'gateway',
      `${strategy}: the caller came without a token, and it is the token that is traded`,
    );
  }
  if (expiresAt <= now) throw new CredentialError('caller', `${strategy}: the caller's token has ended; log in again`);
  return { token, expiresAt, refused: () => {} };
}

/**
 * What an upstream provider gave for a caller.
 *
 * @throws CredentialError when there is nothing, or it has ended
 */
export function upstreamToken(
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
    throw new CredentialError('caller', `${strategy}: the token of upstream ${upstream} has ended; log in again`);
  }
  return found;
}

/** @throws CredentialError for an unauthenticated caller: a new login changes nothing about that */
export function requireCaller(strategy: string, { caller }: Identity): AuthenticatedCaller {
  if (caller !== undefined) return caller;
  const fix = 'callers have to be authenticated by incomingAuth of type oidc';
  throw new CredentialError('gateway', `${strategy}: the caller is anonymous, so there is no token to trade; ${fix}`);
}
