import type { ClientResponder } from '../../mcp/handler.ts';
import type { TaskHolder } from '../tasks/session-tasks.ts';
import type { GatewaySession } from './client-session.ts';
import { RelayedCall } from './relayed-call.ts';

export interface TaskCallOptions extends TaskHolder {
  /** The request's id as JSON text. */
  readonly id: string;
  readonly method: string;
  readonly session: GatewaySession;
}

/** Whether the request gets its answer only when the task is done. */
export function isAnsweredWhenDone(method: string): boolean {
  return method === 'tasks/result';
}

/** A call whose answer may name a task: the gateway collects the answer, and forwards it with the client's id of the task. */
export class TaskCall extends RelayedCall {
  readonly #options: TaskCallOptions;
  readonly #chunks: Uint8Array[] = [];

  constructor(answer: ClientResponder, options: TaskCallOptions) {
    const { id, session, backend, connection } = options;
    super(id, answer, { session, backend, connection });
    this.#options = options;
    session.tasks.expect(options);
  }

  override get awaitsTask(): boolean {
    return isAnsweredWhenDone(this.#options.method);
  }

  override start(): void {}

  override data(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  override end(): void {
    const answer = this.#translateIds(Buffer.concat(this.#chunks));
    super.start(answer.length);
    super.data(answer);
    super.end();
  }

  #translateIds(json: Buffer): Buffer {
    const { method, session } = this.#options;
    if (!json.includes('taskId')) return json;
    try {
      return Buffer.from(session.tasks.answerToClient(json.toString('utf8'), method, this.#options));
    } catch {
      return json; // The text is not JSON: as for any other call, the client gets it unchanged.
    }
  }
}
