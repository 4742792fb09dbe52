import type { UpstreamInjectPlan } from '#schemas';
import type { Identity } from '../identity.ts';
import { toBearerHeader } from './bearer.ts';
import type { Credential, OutgoingAuth } from './credential.ts';
import { getUpstreamToken, requireCaller } from './subject-token.ts';

const STRATEGY = 'upstream_inject';

/** Sends the access token that an upstream provider issued for the caller, unchanged. */
class UpstreamCredential implements Credential {
  readonly #provider: string;
  readonly #identity: () => Identity;
  readonly #now: () => number;
  #token = '';
  #headers: readonly string[] = [];

  constructor(provider: string, identity: () => Identity, now: () => number) {
    this.#provider = provider;
    this.#identity = identity;
    this.#now = now;
  }

  getHeaders(): readonly string[] {
    const { upstreamTokens } = requireCaller(STRATEGY, this.#identity());
    const { accessToken } = getUpstreamToken(STRATEGY, this.#provider, upstreamTokens, this.#now());
    if (accessToken !== this.#token) {
      this.#headers = toBearerHeader(STRATEGY, accessToken);
      this.#token = accessToken;
    }
    return this.#headers;
  }

  /** If the token was renewed after the request was sent, the new token is tried. Otherwise the token is reported as refused. */
  rejected(headers: readonly string[]): boolean {
    const { upstreamTokens } = this.#identity().caller ?? {};
    const token = upstreamTokens?.get(this.#provider)?.accessToken;
    if (upstreamTokens === undefined || token === undefined) return false;
    if (headers[1] !== `Bearer ${token}`) return true;
    upstreamTokens.refused(this.#provider, token);
    return false;
  }
}

export function createUpstreamInject({ provider }: UpstreamInjectPlan, now: () => number): OutgoingAuth {
  return {
    isPerCaller: true,
    own: undefined,
    getCredential: identity => new UpstreamCredential(provider, identity, now),
    close: async () => {},
  };
}
