import type { BackendError } from '../../mcp/backend-error.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { BackendSession } from '../backends/backend.ts';
import { formatCancellation } from '../backends/messages/control-messages.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { announcesChange } from '../offers/offered-items.ts';
import type { GatewaySession } from './client-session.ts';

/** One request of a client's session at a backend: it forwards everything as it arrives. */
export class RelayedCall implements ResponseSink {
  readonly backend: BackendSession;
  readonly answer: ClientResponder;
  /** The request's id as JSON text. */
  readonly id: string;
  private readonly _session: GatewaySession;
  private readonly _connection: BackendConnection;
  /** Whether the answer arrives only when a task is done. */
  get awaitsTask(): boolean {
    return false;
  }

  /** Whether the client has cancelled the request. */
  isCancelled = false;
  /** The gateway's ids of the questions that came with this request. */
  private _openRequests: string[] | undefined;

  constructor(
    id: string,
    answer: ClientResponder,
    {
      session,
      backend,
      connection,
    }: { session: GatewaySession; backend: BackendSession; connection: BackendConnection },
  ) {
    this.id = id;
    this.answer = answer;
    this._session = session;
    this.backend = backend;
    this._connection = connection;
  }

  /** Called when the client cancels the request. The backend knows the request by the same id, so `notification` is forwarded unchanged. */
  cancel(notification: string): void {
    this.isCancelled = true;
    void this.backend.post(notification);
    this._withdrawQuestions();
    this._session.givesUp(this);
    this.answer.cancel();
  }

  message(notification: Envelope): void {
    // A notification of a changed list is not forwarded: the gateway's own list has not changed yet, and the client is notified when it has.
    if (announcesChange(notification)) this._connection.listChanged(this._session.sender);
    else this._session.passOn(this.backend, notification, text => this._sendMessage(text));
  }

  request(json: string, id: string, method: string): void {
    const endsWith = this._session.toEnd(json, 'call');
    const serverRequest = { backend: this.backend, json, id, method, endsWith };
    const ourId = this._session.ask(serverRequest, text => this._send(text));
    if (ourId === undefined || endsWith !== 'call') return;
    this._openRequests ??= [];
    this._openRequests.push(ourId);
  }

  /** Opens a stream to the client as well, so that the client can disconnect and resume. */
  delayed(): void {
    this.answer.hold();
  }

  retry(ms: number): void {
    this.answer.retry?.(ms);
  }

  start(length: number | undefined): void {
    this.answer.start(length);
  }

  data(chunk: Uint8Array): boolean {
    return this.answer.data(chunk);
  }

  onDrain(resume: () => void): void {
    this.answer.onDrain(resume);
  }

  end(): void {
    this._ended();
    this.answer.end();
  }

  fail(error: BackendError): void {
    if (error.reason === 'aborted' || error.reason === 'timeout') this._session.givesUp(this);
    this._ended();
    if (error.reason === 'connection_failed') this._connection.monitor.probeSoon();
    else if (error.reason === 'aborted' && !this.isCancelled) {
      void this.backend.post(formatCancellation(this.id, 'no client waits for the answer any more'));
    }
    this.answer.fail(error);
  }

  /** Sends a message that may be about a question: to the stream on which the question was sent. */
  private _sendMessage(json: string): boolean {
    return this._openRequests === undefined ? this.answer.message(json) : this._send(json);
  }

  /** Sends a message with the answer; if that is not possible, as for a client that accepts only JSON, on the standing stream. */
  private _send(json: string): boolean {
    return this.answer.message(json) || this._session.send(json);
  }

  private _withdrawQuestions(): void {
    if (this._openRequests !== undefined)
      this._session.questions.withdraw(this._openRequests, text => this._send(text));
  }

  private _ended(): void {
    this._withdrawQuestions();
    this._session.finished(this);
  }
}
