import type { TokenAuthPlan } from '#schemas';
import { AuthenticationError } from './authenticator.ts';

/**
 * The responses to callers that are not admitted (RFC 6750, section 3):
 *
 * | Request | Status | `error` in the challenge | in the body |
 * |---|---|---|---|
 * | without a bearer token | 401 | none: the client may not know that a token is needed (3.1) | `missing_token` |
 * | with a malformed token | 400 | `invalid_request` | the same |
 * | with a token that is not valid here | 401 | `invalid_token` | the same |
 * | with a token of insufficient scope | 403 | `insufficient_scope` | the same |
 * | whose token cannot be checked now | 503 | no `error`: a new token would not help | `temporarily_unavailable` |
 */
export class Challenges {
  readonly #start: string;
  readonly #end: string;

  constructor({ realm, requiredScopes, resourceMetadata }: TokenAuthPlan) {
    this.#start = `Bearer ${formatParameter('realm', realm)}`;
    this.#end = [
      ...(requiredScopes.length === 0 ? [] : [formatParameter('scope', requiredScopes.join(' '))]),
      // RFC 9728, section 5.1.
      ...(resourceMetadata === null ? [] : [formatParameter('resource_metadata', resourceMetadata.url)]),
    ]
      .map(part => `, ${part}`)
      .join('');
  }

  missing(): AuthenticationError {
    const body = { error: 'missing_token', error_description: 'a bearer token is needed in the Authorization header' };
    return new AuthenticationError(401, body, this.#start + this.#end);
  }

  malformed(description: string): AuthenticationError {
    return this.#refusal(400, 'invalid_request', description);
  }

  invalid(description: string): AuthenticationError {
    return this.#refusal(401, 'invalid_token', description);
  }

  insufficientScope(): AuthenticationError {
    return this.#refusal(403, 'insufficient_scope', 'the token lacks a scope that is needed here');
  }

  unavailable(): AuthenticationError {
    const text = 'the identity provider cannot be queried about the token now';
    return new AuthenticationError(
      503,
      { error: 'temporarily_unavailable', error_description: text },
      this.#start + this.#end,
    );
  }

  #refusal(status: number, error: string, text: string): AuthenticationError {
    const parameters = `, ${formatParameter('error', error)}, ${formatParameter('error_description', text)}`;
    return new AuthenticationError(status, { error, error_description: text }, this.#start + parameters + this.#end);
  }
}

/** A quoted string (RFC 9110, section 5.6.4). Characters that are invalid in headers become question marks. */
function formatParameter(name: string, value: string): string {
  const safe = value.replace(/[^\t\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return `${name}="${safe}"`;
}
