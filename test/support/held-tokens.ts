import type { UpstreamToken, UpstreamTokensOfCaller } from '../../runtime/auth/identity.ts';

/** The upstream tokens of a caller, which a test sets; records those that a backend refused. */
export class HeldTokens extends Map<string, UpstreamToken> implements UpstreamTokensOfCaller {
  readonly refusals: (readonly [provider: string, accessToken: string])[] = [];

  refused(provider: string, accessToken: string): void {
    this.refusals.push([provider, accessToken]);
  }
}
