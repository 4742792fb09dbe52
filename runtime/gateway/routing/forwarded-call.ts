import type { BackendError } from '../../mcp/backend-error.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import { InSessionsError } from '../backends/failure.ts';
import type { Sender } from '../backends/sender.ts';
import type { SessionUse } from '../connections/caller-sessions.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { announcesChange } from '../offers/offered-items.ts';
import { readUpdatedResource } from './resource-updates.ts';

export interface ForwardedCallOptions {
  readonly connection: BackendConnection;
  readonly sender: Sender;
  /** The session for the call; it ends with the call. */
  readonly use: SessionUse;
  /** Called when the backend has sessions now, and has not seen the call. */
  inSessions(answer: ClientResponder, error: InSessionsError): void;
}

/** One call of a stateless client at a stateless backend: the gateway forwards everything as it arrives. */
export class ForwardedCall implements ResponseSink {
  private readonly _answer: ClientResponder;
  private readonly _options: ForwardedCallOptions;

  constructor(answer: ClientResponder, options: ForwardedCallOptions) {
    this._answer = answer;
    this._options = options;
  }

  message(notification: Envelope): void {
    if (announcesChange(notification)) this._options.connection.listChanged(this._options.sender);
    // A notification of an updated resource is not forwarded here: it goes to the stream that subscribed, and requires permission to read.
    else if (readUpdatedResource(notification) === undefined) this._answer.message(notification.text);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this._answer.start(length, httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    return this._answer.data(chunk);
  }

  onDrain(resume: () => void): void {
    this._answer.onDrain(resume);
  }

  end(): void {
    this._options.use.end();
    this._answer.end();
  }

  fail(error: BackendError): void {
    this._options.use.end();
    if (error instanceof InSessionsError) {
      if (!this._answer.aborted) this._options.inSessions(this._answer, error);
      return;
    }
    if (error.reason === 'connection_failed') this._options.connection.monitor.probeSoon();
    this._answer.fail(error);
  }
}
