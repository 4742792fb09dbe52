/** The client of a run, as workflows need it: the session edge and the stateless edge implement it. */
import type { AbortSource } from '#shared/util';
import type { Identity } from '../../auth/identity.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import type { Destination } from '../routing/targets.ts';
import type { ElicitationResult } from './engine/index.ts';

export interface WorkflowClient {
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly identity: Identity;
  /** A key for the limits that the client shares with its other requests. */
  readonly share: string;
  readonly record: RequestRecord | undefined;
  /** Whether the client can show people a form. */
  readonly canAsk: boolean;
  /**
   * `_meta` of the calls of steps, as JSON text; undefined for none.
   * @param mayAsk whether the backend may send the client requests during this call
   */
  stepMeta(mayAsk: boolean): string | undefined;
  /**
   * Sends a step's call to its backend like a call of the client.
   * @param mayAsk as for `stepMeta`
   * @throws WireError for a call that cannot be sent
   */
  call(destination: Destination, envelope: Envelope, answer: ClientResponder, mayAsk: boolean): void;
  /**
   * Sends a person a question by `elicitation/create` with these params (JSON text). Absent for a client that gets the question with the answer to
   * its request, and answers with its next request.
   * @throws WorkflowError when the client does not support it
   */
  ask?(params: string, signal: AbortSource): Promise<ElicitationResult>;
  /** The members that every result for this client has, as JSON text without braces; undefined for none. */
  readonly common: string | undefined;
}
