/**
 * What the replica of a client and the replica that holds its call say to each other about one round. Neither a token of the caller nor
 * a header of its request is among it.
 */
import type { StatelessCaller } from '../../../mcp/stateless/handler.ts';
import { WireError } from '../../../mcp/wire-error.ts';
import { BackendError, type BackendFailure } from '../../backends/backend.ts';
import type { CallTraits } from '../bridged-call.ts';

/** A client's attempt to go on with a held call, as its replica hands it on. */
export interface RoundRequest {
  /** By which the holder finds the call. */
  readonly secret: string;
  readonly traits: CallTraits;
  /** The id of the client's request, as JSON text. */
  readonly id: string;
  readonly progressToken: string | undefined;
  readonly caller: Pick<StatelessCaller, 'protocolVersion' | 'capabilitiesText' | 'logLevel'>;
  /** Answers by the keys of the questions, as JSON text. */
  readonly responses: readonly (readonly [key: string, json: string])[];
  /** The share key of the client. */
  readonly share: string;
}

/** What the holder does with the client's answer, by the names of the methods of `ClientResponder`; bytes in base64. */
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
  /** Says how many steps there were before: the client's replica has missed some unless it knows as many. */
  | readonly ['place'];

/** A step with its number, from 1 on; of `place`, the number of the step before it. */
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

/** The class names the backend in front of each message by itself. */
export function restoreFailure({ backend, reason, message, httpStatus }: FailureRecord): BackendError {
  const { length } = new BackendError(backend, reason, '').message;
  return new BackendError(backend, reason, message.slice(length), httpStatus);
}
