/**
 * A provider does not accept a token: it is `invalid`, or its validity is unknown because the provider is `unavailable`. The message can be
 * shown to the caller; it repeats no part of the token.
 */
export class TokenRejectedError extends Error {
  readonly reason: 'invalid' | 'unavailable';
  constructor(reason: 'invalid' | 'unavailable', message: string) {
    super(message);
    this.name = 'TokenRejectedError';
    this.reason = reason;
  }
}

export function createInvalidError(message: string): TokenRejectedError {
  return new TokenRejectedError('invalid', message);
}

export function createUnavailableError(message: string): TokenRejectedError {
  return new TokenRejectedError('unavailable', message);
}
