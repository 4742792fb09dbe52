/** Audiences and issuers of tokens that a gateway obtains for backends. */
import type { OutgoingAuthPlan } from '#schemas';

export interface BackendToken {
  /** The issuing endpoint; tokens of different endpoints cannot be confused. */
  readonly tokenUrl: string;
  readonly audience: string;
}

/** Undefined when the backend gets no token, or one without a known audience. */
export function findBackendToken(auth: OutgoingAuthPlan): BackendToken | undefined {
  switch (auth.type) {
    case 'token_exchange':
    case 'obo':
      return auth.audience === null ? undefined : { tokenUrl: auth.tokenUrl, audience: auth.audience };
    case 'xaa':
      // The assertion's audience is the target's authorization server; the token itself is for the resource.
      return auth.target.resource === null
        ? undefined
        : { tokenUrl: auth.target.tokenUrl, audience: auth.target.resource };
    default:
      return undefined;
  }
}
