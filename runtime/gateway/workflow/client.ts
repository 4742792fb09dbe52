/** What a run needs of the client that called the workflow: the session and the stateless edge each have their own. */
import type { AbortSource } from '#util';
import type { Identity } from '../../auth/identity.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { RequestRecord } from '../../observe/audit/request-record.ts';
import type { Destination } from '../routing/targets.ts';
import type { ElicitationResult } from './engine/index.ts';

export interface WorkflowClient {
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly identity: Identity;
  /** The share key of the client. */
  readonly share: string;
  readonly record: RequestRecord | undefined;
  /** Whether people can be asked by it for something in a form. */
  readonly canAsk: boolean;
  /**
   * `_meta` of the calls of steps, as JSON text; undefined for none.
   *
   * @param mayAsk the backend may ask the client for something during this call
   */
  stepMeta(mayAsk: boolean): string | undefined;
  /**
   * Sends the call of a step to its backend, as a call of the client is sent.
   *
   * @param mayAsk as for `stepMeta`
   * @throws WireError for one that cannot be sent
   */
  call(destination: Destination, envelope: Envelope, answer: ClientResponder, mayAsk: boolean): void;
  /**
   * Asks a person by `elicitation/create` with these params (JSON text). Undefined where the question goes out with an answer, and its
   * own answer comes with another request.
   *
   * @throws WorkflowError when the client cannot be asked
   */
  ask?(params: string, signal: AbortSource): Promise<ElicitationResult>;
  /** The members of a result as this client gets them, as JSON text. */
  result(members: { readonly [name: string]: unknown }): string;
}
