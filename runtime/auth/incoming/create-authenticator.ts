import type { IncomingAuthPlan } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import { ANONYMOUS, type Identity } from '../identity.ts';
import type { Secrets } from '../secrets.ts';
import type { Authenticator } from './authenticator.ts';
import { readLocalIdentity } from './local-user.ts';
import type { OwnIssuer } from './own-issuer.ts';
import { TokenAuthenticator } from './token-authenticator.ts';

export interface AuthenticatorOptions {
  /** Reads the plan's secrets; the caller closes it. */
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** The authorization server in this process, if there is one. */
  readonly own?: OwnIssuer | undefined;
}

/**
 * Creates the authenticator of a plan. Keys of providers are fetched in the background: an unavailable provider does not delay the start, and
 * its tokens get 503 until it is available.
 *
 * @throws SecretError when a secret of the plan is missing
 */
export function createAuthenticator(plan: IncomingAuthPlan, options: AuthenticatorOptions): Authenticator {
  if (plan.type === 'anonymous') return new FixedAuthenticator(ANONYMOUS);
  if (plan.type === 'local') return new FixedAuthenticator(readLocalIdentity());
  return new TokenAuthenticator(plan, { now: Date.now, ...options });
}

/** Gives all requests the same caller. */
class FixedAuthenticator implements Authenticator {
  readonly routes: Authenticator['routes'] = new Map();
  readonly #identity: Identity;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  authenticate(): Identity {
    return this.#identity;
  }

  challenge(): undefined {
    return undefined;
  }

  status(): readonly [] {
    return [];
  }

  async close(): Promise<void> {}
}
