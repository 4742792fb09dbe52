import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuditEvent, RegistryOperationType } from '#schemas';
import type { Decision } from '../../auth/authorization/authorizer.ts';
import type { Identity } from '../../auth/identity.ts';
import type { BackendFailure } from '../../mcp/backend-error.ts';
import type { ClientTraits } from '../../mcp/client-traits.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { RequestRecord, WorkflowEvent, WorkflowEvents } from '../../mcp/request-record.ts';
import { ResponseError } from '../requests/response-error.ts';
import type { AuditSettings } from './audit-log.ts';
import { AuditedResponder } from './audited-responder.ts';
import { classifyEvent } from './event-type.ts';
import { RecordedChunks } from './recorded-data.ts';

/** The target of a request to a registry server. */
export interface RegistryRequest {
  readonly operation: RegistryOperationType;
  readonly registry: string;
  /** Name of a server, decoded. */
  readonly server: string | undefined;
  readonly version: string | undefined;
}

const EVENT_OF_OPERATION = {
  servers: 'server.list',
  versions: 'server.versions.list',
  version: 'server.version.read',
} as const;

/** How a request without an answer ended. */
export type UnansweredEnd = 'cancelled' | 'client_gone' | 'shutdown';

/** Receives what happens to open records. */
export interface RecordKeeper {
  /** The request has caused an event with a record of its own. */
  noted(record: AuditRecord, event: WorkflowEvent): void;
  /** Records further events after the end of the request, like `noted`. Of the request itself, only the caller's identity is kept. */
  noting(record: AuditRecord): WorkflowEvents;
  /** The request has ended: its record is complete. */
  finished(record: AuditRecord): void;
  /** The record of a further message of the same HTTP request was opened. */
  opened(record: AuditRecord): void;
  /** The messages of this request have records of their own, which replace this one. */
  replaced(record: AuditRecord): void;
}

/**
 * The record of one running request: of an HTTP request, or of one message of a batch. It ends once: with the answer, or without an answer when
 * the connection closes. Its data is not kept longer.
 */
export class AuditRecord implements RequestRecord, WorkflowEvents {
  readonly settings: AuditSettings;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Stored, because a socket loses it when it closes. */
  readonly peer: string;
  /** When the request started, in milliseconds of the monotonic clock. */
  readonly startedAt: number = performance.now();
  /** The index in `OpenRecords`. */
  index = -1;
  type: AuditEvent = 'http_request';
  envelope: Envelope | undefined;
  /** The target of a request to a registry server; undefined in a gateway. */
  question: RegistryRequest | undefined;
  identity: Identity | undefined;
  traits: Pick<ClientTraits, 'clientInfo'> | undefined;
  decision: Decision | undefined;
  backend: string | undefined;
  originalName: string | undefined;
  /** The kind of limit that has rejected the call: `<scope>_<operation>`. */
  limitedBy: string | undefined;
  /** The beginning of the backend's error; undefined when the record does not include it. */
  answerError: ResponseError | undefined;
  response: RecordedChunks | undefined;
  responseBytes: number | undefined;
  errorCode: number | undefined;
  errorMessage: string | undefined;
  /** Why the backend gave no answer. */
  failure: BackendFailure | undefined;
  /** Whether the message belongs to the stateless revision. */
  isStateless = false;
  ending: UnansweredEnd | undefined;
  /** HTTP status; undefined when none was sent. */
  status: number | undefined;
  private readonly _keeper: RecordKeeper;
  private _awaitsAnswer = false;
  private _isFinished = false;

  constructor(req: IncomingMessage, res: ServerResponse, settings: AuditSettings, keeper: RecordKeeper) {
    this.req = req;
    this.res = res;
    this.settings = settings;
    this._keeper = keeper;
    this.peer = req.socket.remoteAddress ?? '';
  }

  /** The message that the request carries was read. */
  message(envelope: Envelope): void {
    this.envelope = envelope;
    this.type = classifyEvent(envelope.method);
  }

  /**
   * The request carries several messages, each with its own record in place of this one.
   * @param envelope undefined for an unreadable message
   */
  member(envelope: Envelope | undefined): AuditRecord {
    const record = new AuditRecord(this.req, this.res, this.settings, this._keeper);
    record.identity = this.identity;
    record.traits = this.traits;
    if (envelope !== undefined) record.message(envelope);
    this._keeper.opened(record);
    this.res.once('close', () => record.closed());
    if (!this._isFinished) this._keeper.replaced(this);
    this._isFinished = true;
    return record;
  }

  /** Creates the record of a message that reached another process, but belongs to this stream's session: only this process records it. */
  takenOver(envelope: Envelope): AuditRecord {
    const record = new AuditRecord(this.req, this.res, this.settings, this._keeper);
    record.identity = this.identity;
    record.message(envelope);
    this._keeper.opened(record);
    // The record of a request ends with its answer. Any other message has no connection here that could end its record, so it is complete now.
    if (envelope.kind !== 'request' || !this.settings.wants(record.type)) record.finish();
    return record;
  }

  /**
   * The message is being passed to another process. Its client may disconnect with the answer before this process knows that the message was
   * accepted.
   */
  handing(): void {
    this._awaitsAnswer = true;
  }

  /** No other process has accepted the message. */
  notHanded(): void {
    this._awaitsAnswer = false;
    if (this.res.closed) this.closed();
  }

  /** Another process has accepted the message of this request and records it, so this record is dropped. */
  handedOn(): void {
    if (!this._isFinished) this._keeper.replaced(this);
    this._isFinished = true;
  }

  /** The request is for data of a registry. */
  reads(question: RegistryRequest): void {
    this.question = question;
    this.type = EVENT_OF_OPERATION[question.operation];
  }

  /** The caller's identity is unknown to a registry server. */
  unauthenticated(): void {
    this.type = 'auth.unauthenticated';
  }

  /** The request has opened a GET stream or the stream of a subscription. */
  stream(): void {
    this.type = 'sse_connection';
  }

  /** Wraps the answer of the request, so that its end also ends this record. */
  answer(answer: ClientResponder): ClientResponder {
    const { plan, wants } = this.settings;
    if (!wants(this.type)) return answer;
    this._awaitsAnswer = true;
    this.responseBytes = 0;
    if (plan.detectApplicationErrors) this.answerError = new ResponseError();
    if (plan.includeResponseData) this.response = new RecordedChunks(plan.maxDataBytes + this.secretLength);
    return new AuditedResponder(answer, this);
  }

  /** A workflow that the request called has caused an event. */
  noted(event: WorkflowEvent): void {
    this._keeper.noted(this, event);
  }

  /** Records events of the workflow's run that happen after the end of this request. */
  get afterwards(): WorkflowEvents {
    return this._keeper.noting(this);
  }

  /** The policies have decided, or no policy applied. */
  decided(decision: Decision): void {
    this.decision = decision;
  }

  routed(backend: string, originalName: string): void {
    this.backend = backend;
    this.originalName = originalName;
  }

  /** The request concerns this backend; the backend's own name of the target is unknown. */
  concerns(backend: string): void {
    this.backend ??= backend;
  }

  /** A rate limit rejected the call. */
  limited({ scope, operation }: { readonly scope: string; readonly operation: string }): void {
    this.limitedBy = `${scope}_${operation}`;
  }

  /** The gateway answers the request with an error of its own. */
  refused(code: number | undefined, message: string): void {
    this.errorCode = code;
    this.errorMessage = message;
  }

  /** The connection has closed, or the answer has been sent completely. */
  closed(): void {
    if (this._awaitsAnswer) return;
    const isStream = this.type === 'sse_connection' || this.envelope?.method === 'subscriptions/listen';
    this.finish(this.res.headersSent && (isStream || this.res.writableFinished) ? undefined : 'client_gone');
  }

  /** Completes the record; later calls do nothing. */
  finish(ending?: UnansweredEnd): void {
    if (this._isFinished) return;
    this._isFinished = true;
    this.ending = ending;
    this.status = this.res.headersSent ? this.res.statusCode : undefined;
    this._keeper.finished(this);
  }

  /** Text that must not be in any record: the credential of the request. */
  get secret(): string | undefined {
    const { authorization } = this.req.headers;
    const token = authorization?.slice(authorization.indexOf(' ') + 1);
    return token !== undefined && token.length >= SHORTEST_SECRET ? token : undefined;
  }

  get secretLength(): number {
    return this.secret?.length ?? 0;
  }
}

/** Minimum length of a secret, in characters: a shorter text could occur in a record by chance. */
const SHORTEST_SECRET = 12;
