/** Texts were not embedded. The message names the service and the cause; never a text, a header or a query. */
export class EmbeddingError extends Error {
  /** How long the service asks clients to wait before the next request; milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.name = 'EmbeddingError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** The service works, but refuses these texts, or so many at once. */
export class TextsRefusedError extends EmbeddingError {
  constructor(message: string) {
    super(message);
    this.name = 'TextsRefusedError';
  }
}

/** The connection broke, or could not be opened. */
export class ConnectionLostError extends EmbeddingError {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionLostError';
  }
}
