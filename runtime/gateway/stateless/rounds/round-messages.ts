/**
 * The messages about one attempt at a call, between the replica of the client and the holder, which is the replica with the call. They contain
 * neither a token of the caller nor a header of its request.
 */

import { BackendError, type BackendFailure } from '../../../mcp/backend-error.ts';
import type { StatelessCaller } from '../../../mcp/stateless/handler.ts';
import { WireError } from '../../../mcp/wire-error.ts';
import type { CallTraits } from './next-attempt.ts';

/** A client's attempt to continue a call at another replica, as the client's replica sends it there. */
export interface RoundRequest {
  /** The secret by which the holder finds the call. */
  readonly secret: string;
  readonly traits: CallTraits;
  /** The id of the client's request, as JSON text. */
  readonly id: string;
  readonly progressToken: string | undefined;
  readonly caller: Pick<StatelessCaller, 'protocolVersion' | 'capabilitiesText' | 'logLevel'>;
  /** Answers by the keys of the questions, as JSON text. */
  readonly responses: readonly (readonly [key: string, json: string])[];
  /** A key for the limits that the client shares with its other requests. */
  readonly share: string;
}

/** A step of the holder for the client's answer, by the names of the methods of `ClientResponder`; bytes in base64. */
export type RoundStep =
  | readonly ['result', json: string]
  | readonly ['message', json: string]
  | readonly ['hold']
  | readonly ['retry', ms: number]
  | readonly ['start', length: number | null, httpStatus: number | null]
  | readonly ['data', base64: string]
  | readonly ['end']
  | readonly ['cancel']
  | readonly ['error', WireErrorRecord]
  | readonly ['fail', FailureRecord]
  /** The number of steps before: if the client's replica knows fewer, it has missed some. */
  | readonly ['place'];

/** A step with its number, from 1; for `place`, the number of the last step before it. */
export interface NumberedStep {
  readonly number: number;
  readonly step: RoundStep;
}

interface WireErrorRecord {
  readonly code: number;
  readonly message: string;
  readonly httpStatus: number;
  readonly data?: unknown;
  readonly retryAfterSeconds?: number | undefined;
}

interface FailureRecord {
  readonly backend: string;
  readonly reason: BackendFailure;
  readonly message: string;
  readonly httpStatus?: number | undefined;
}

export function restoreCaller({ caller }: RoundRequest): StatelessCaller {
  return { ...caller, capabilities: JSON.parse(caller.capabilitiesText) };
}

export function serializeWireError({ code, message, httpStatus, data, retryAfterSeconds }: WireError): WireErrorRecord {
  return { code, message, httpStatus, data, retryAfterSeconds };
}

export function restoreWireError({ code, message, ...options }: WireErrorRecord): WireError {
  return new WireError(code, message, options);
}

export function serializeFailure({ backend, reason, message, httpStatus }: BackendError): FailureRecord {
  return { backend, reason, message, httpStatus };
}

/** The message without the backend's name, which the class adds itself. */
export function restoreFailure({ backend, reason, message, httpStatus }: FailureRecord): BackendError {
  const { length } = new BackendError(backend, reason, '').message;
  return new BackendError(backend, reason, message.slice(length), httpStatus);
}
