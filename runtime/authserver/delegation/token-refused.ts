/** `invalid`: the token is invalid, or not for this use. `unavailable`: that cannot be determined now. The message repeats no part of it. */
export class TokenRefusedError extends Error {
  readonly reason: 'invalid' | 'unavailable';

  constructor(reason: TokenRefusedError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TokenRefusedError';
    this.reason = reason;
  }
}
