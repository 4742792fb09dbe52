/** The errors of a rejected call, by the client's revision. */
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { Limit } from './limit.ts';

const MESSAGE = 'Rate limit exceeded';

/** The time until one token is available, in whole seconds, at least 1. */
export function retryAfterSeconds({ maxTokens, refillPeriodMs }: Limit): number {
  return Math.max(1, Math.ceil(refillPeriodMs / maxTokens / 1_000));
}

/** A JSON-RPC error. */
export function createRejection(limit: Limit): WireError {
  const seconds = retryAfterSeconds(limit);
  return new WireError(WIRE_CODE.rateLimited, MESSAGE, {
    httpStatus: 429,
    data: { retryAfterSeconds: seconds },
    retryAfterSeconds: seconds,
  });
}

/** The result of a tool, as JSON text: in a session, the model should see it and wait. */
export function formatRejectedResult(limit: Limit): string {
  const { code, message, data, retryAfterSeconds: seconds } = createRejection(limit);
  const text = `${message}: try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}`;
  return JSON.stringify({
    content: [{ type: 'text', text }],
    structuredContent: { code, message, data },
    isError: true,
  });
}
