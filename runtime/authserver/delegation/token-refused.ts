/** `invalid`: the token is invalid, or not for this use. `unavailable`: it cannot be checked now. The message repeats no part of the token. */
export class TokenRefusedError extends Error {
  readonly reason: 'invalid' | 'unavailable';

  constructor(reason: TokenRefusedError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TokenRefusedError';
    this.reason = reason;
  }
}
