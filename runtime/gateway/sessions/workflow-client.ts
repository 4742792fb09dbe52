/** A client with a session that has called a workflow. */
import type { AbortSource } from '#shared/util';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import type { BackendIdentity, BackendListener, BackendSession } from '../backends/backend.ts';
import type { Sender } from '../backends/sender.ts';
import type { Destination } from '../routing/targets.ts';
import type { WorkflowClient } from '../workflow/client.ts';
import type { ElicitationResult } from '../workflow/engine/index.ts';
import { WorkflowError } from '../workflow/engine/workflow-error.ts';
import { parseElicitationResult } from '../workflow/questions.ts';
import type { GatewaySession } from './client-session.ts';
import { canReceiveRequest } from './server-requests.ts';

export interface SessionClientOptions {
  readonly session: GatewaySession;
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly sender: Sender;
  readonly record: RequestRecord | undefined;
  /** Sends a call in the client's own name. */
  readonly send: (destination: Destination, envelope: Envelope, answer: ClientResponder) => void;
}

const QUESTION = 'elicitation/create';

export class SessionClient implements WorkflowClient {
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly identity: WorkflowClient['identity'];
  readonly share: string;
  readonly record: RequestRecord | undefined;
  readonly common = undefined;
  readonly call: SessionClientOptions['send'];
  readonly #session: GatewaySession;

  constructor({ session, envelope, answer, sender, record, send }: SessionClientOptions) {
    this.envelope = envelope;
    this.answer = answer;
    this.identity = sender.identity;
    this.share = session.share;
    this.record = record;
    this.call = send;
    this.#session = session;
  }

  get canAsk(): boolean {
    return canReceiveRequest(this.#session.client.capabilities, QUESTION, '{}');
  }

  stepMeta(): undefined {}

  ask(params: string, signal: AbortSource): Promise<ElicitationResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ElicitationResult>();
    const asker = new Asker(text => {
      try {
        const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message?: unknown } };
        if (error === undefined) resolve(parseElicitationResult(result));
        else reject(new WorkflowError(`the client refused the question: ${error.message}`, 'cannot_ask'));
      } catch (error) {
        reject(error);
      }
    });
    const send = (json: string) => this.answer.message(json) || this.#session.send(json);
    const json = `{"jsonrpc":"2.0","id":1,"method":"${QUESTION}","params":${params}}`;
    const id = this.#session.ask({ backend: asker, json, id: '1', method: QUESTION, endsWith: 'call' }, send);
    if (id === undefined) return promise;
    const onAbort = {
      handleEvent: () => {
        this.#session.questions.withdraw([id], send);
        reject(signal.reason);
      },
    };
    if (signal.aborted) onAbort.handleEvent();
    else signal.addEventListener('abort', onAbort);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }
}

/** The gateway itself in the role of a backend with questions: it gets the client's answers. */
class Asker implements BackendSession {
  readonly sharesOneStream = false;
  readonly #onAnswer: (text: string) => void;

  constructor(onAnswer: (text: string) => void) {
    this.#onAnswer = onAnswer;
  }

  async post(text: string): Promise<void> {
    this.#onAnswer(text);
  }

  open(): Promise<BackendIdentity> {
    return Promise.reject(new Error('a workflow is not a backend'));
  }

  request(): void {
    throw new Error('a workflow is not a backend');
  }

  receive(_listener: BackendListener): void {}

  listen(_listener: BackendListener): void {}

  async close(): Promise<void> {}
}
