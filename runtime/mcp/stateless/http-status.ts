import { WIRE_CODE } from '../wire-error.ts';

const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map([
  [WIRE_CODE.parseError, 400],
  [WIRE_CODE.invalidRequest, 400],
  [WIRE_CODE.invalidParams, 400],
  [WIRE_CODE.methodNotFound, 404],
  [WIRE_CODE.headerMismatch, 400],
  [WIRE_CODE.missingClientCapability, 400],
  [WIRE_CODE.unsupportedRevision, 400],
  [WIRE_CODE.denied, 403],
  [WIRE_CODE.rateLimited, 429],
]);

/**
 * The HTTP status of an error in the stateless revision, from which intermediaries, and clients that probe a server's revision, learn the cause.
 * An error about the outcome of a valid request is an answer like any other.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function toHttpStatus(code: number): number {
  return STATUS_OF_CODE.get(code) ?? 200;
}
