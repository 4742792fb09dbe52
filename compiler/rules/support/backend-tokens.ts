/** Tokens that a gateway obtains for backends: whom they are for, and who issues them. */
import type { OutgoingAuthPlan } from '#schemas';

export interface BackendToken {
  /** The service that issues it; tokens of different ones are not mistaken for each other. */
  readonly tokenUrl: string;
  readonly audience: string;
}

/** Undefined where the backend gets no token, or one of which the spec does not say whom it is for. */
export function backendToken(auth: OutgoingAuthPlan): BackendToken | undefined {
  switch (auth.type) {
    case 'token_exchange':
    case 'obo':
      return auth.audience === null ? undefined : { tokenUrl: auth.tokenUrl, audience: auth.audience };
    case 'xaa':
      // The audience of the assertion is the authorization server of the target; the token is for the resource.
      return auth.target.resource === null
        ? undefined
        : { tokenUrl: auth.target.tokenUrl, audience: auth.target.resource };
    default:
      return undefined;
  }
}
