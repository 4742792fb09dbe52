/** `invalid`: the token is not good, or not for this. `unavailable`: that cannot be found out now. The message repeats nothing of it. */
export class TokenRefusedError extends Error {
  readonly reason: 'invalid' | 'unavailable';

  constructor(reason: TokenRefusedError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TokenRefusedError';
    this.reason = reason;
  }
}
