/**
 * JSON-RPC and MCP error codes as they occur in messages. Local codes (`ERR_…`, `LNT…`) are elsewhere on purpose.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export const WIRE_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The transport refused the request before it was read as JSON-RPC: media types, HTTP methods, Origin, capacity. */
  refused: -32000,
  /** The session id is unknown or has expired (HTTP 404). */
  sessionNotFound: -32001,
  /** A backend did not answer in time (HTTP 200, inside a session). MCP SDKs use the same number as for a lost session. */
  timeout: -32001,
  resourceNotFound: -32002,
  /** The caller has to log in again (HTTP 401). */
  loginRequired: 401,
  /** The caller may not do that (HTTP 403). */
  denied: 403,
  /** No token is left in a bucket of `rateLimiting` (HTTP 429 without a session); `data` is `{retryAfterSeconds}`. */
  rateLimited: 429,
  /** MCP 2026-07-28: an HTTP header is missing, malformed, or contradicts the message. */
  headerMismatch: -32020,
  /** MCP 2026-07-28: the request needs a capability that its client lacks; `data` is `{requiredCapabilities}`. */
  missingClientCapability: -32021,
  /** MCP 2026-07-28: the revision of this request is not served; `data` is `{supported, requested}`. */
  unsupportedRevision: -32022,
} as const;

export interface WireErrorOptions {
  /** Default: 400. */
  readonly httpStatus?: number;
  readonly data?: unknown;
  readonly id?: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** A failure that is answered with a JSON-RPC error. The message reaches the client: no secrets, no internals. */
export class WireError extends Error {
  readonly code: number;
  /** HTTP status for an error outside of a session; in a session the answer has HTTP 200, except for a denial. */
  readonly httpStatus: number;
  readonly data: unknown;
  /** The id of the request as JSON text, if it was read before the failure. */
  readonly id: string | undefined;
  /** When the same request may succeed; whole seconds, for the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: number, message: string, options: WireErrorOptions = {}) {
    super(message);
    this.name = 'WireError';
    this.code = code;
    this.httpStatus = options.httpStatus ?? 400;
    this.data = options.data;
    this.id = options.id;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The same error for the request `id` (JSON text), when there is one. */
  withId(id: string | undefined): WireError {
    if (id === undefined) return this;
    const { httpStatus, data, retryAfterSeconds } = this;
    return new WireError(this.code, this.message, { httpStatus, data, id, retryAfterSeconds });
  }
}

/**
 * For a client that returns for an answer that was too large to store, was removed to make room, or has expired.
 * @param onlyReads whether the request has no effect
 */
export function createAnswerLost(onlyReads: boolean): WireError {
  const text = 'the answer is lost: it could not be stored any longer for a client that lost its connection';
  return new WireError(WIRE_CODE.internalError, `${text}; ${describeEffect(onlyReads)}`);
}

/**
 * For a client whose request was running at another replica.
 * @param onlyReads whether the request has no effect
 */
export function createReplicaLost(onlyReads: boolean): WireError {
  const text = `the replica that processed this request has ended: ${describeEffect(onlyReads)}`;
  return new WireError(WIRE_CODE.internalError, text, { data: { reason: 'replica_lost' } });
}

/**
 * For a client whose request was still running when the gateway had to end.
 * @param onlyReads whether the request has no effect
 */
export function createStopped(onlyReads: boolean): WireError {
  const text = `the gateway was stopped while this request was running: ${describeEffect(onlyReads)}`;
  return new WireError(WIRE_CODE.internalError, text, { data: { reason: 'stopped' } });
}

function describeEffect(onlyReads: boolean): string {
  return onlyReads
    ? 'the request only reads and had no effect, so send it again'
    : 'the request may have had an effect';
}

/** The JSON text of an error response; `id` is JSON text, `null` for an unknown id. */
export function formatErrorResponse(id: string | undefined, error: WireError): string {
  const body = JSON.stringify({ code: error.code, message: error.message, data: error.data });
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${body}}`;
}

/** The JSON text of a success response around a result that is JSON text already. */
export function formatResultResponse(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}
