import type { UpstreamToken, UpstreamTokensOfCaller } from '../../runtime/auth/identity.ts';

/** Upstream tokens that a test sets, and those that were refused. */
export class HeldTokens extends Map<string, UpstreamToken> implements UpstreamTokensOfCaller {
  readonly refusals: (readonly [provider: string, accessToken: string])[] = [];

  refused(provider: string, accessToken: string): void {
    this.refusals.push([provider, accessToken]);
  }
}
