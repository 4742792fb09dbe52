import type { AbortListener } from '#shared/util';
import type { BackendError } from '../../mcp/backend-error.ts';
import type { ClientResponder, ObservedRun, OptimizerWork, SentRequest, StartedRun } from '../../mcp/handler.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';
import { WireError } from '../../mcp/wire-error.ts';
import { ObservedWorkflow } from './observed-workflow.ts';
import type { ClientTransport, RequestCounts, RequestTraits } from './request-counts.ts';
import { ResponseError, TOOL_ERROR } from './response-error.ts';
import type { CallTrace, RequestTrace } from './tracing.ts';

/** The client has disconnected or has cancelled the request. */
const CANCELLED = 'cancelled';

/** An error of the gateway itself: the client gets an internal error. */
const INTERNAL = 'internal';

/** The data of a request at its arrival. */
export interface ObservedRequest {
  readonly method: string;
  readonly revision: string;
  readonly transport: ClientTransport;
  /** The tool that a workflow step calls, as clients know it. */
  readonly stepTool?: string;
}

/**
 * Forwards an answer and measures it. Answers of all transports pass through this class before they become a document, an event or a part of a
 * batch. Members are `private` without `#`, because an object is created for each call (see README.md of the runtime).
 */
export class ObservedResponder implements ClientResponder {
  private readonly _answer: ClientResponder;
  private readonly _counts: RequestCounts;
  private readonly _request: ObservedRequest;
  private readonly _trace: (CallTrace & Partial<RequestTrace>) | undefined;
  private readonly _startedAt = performance.now();
  private _sent: SentRequest | undefined;
  private _sentAt = 0;
  private _workflow = '';
  private _optimizer: OptimizerWork | undefined;
  private _error: ResponseError | undefined;
  private _length: number | undefined;
  private _isFinished = false;

  constructor(
    answer: ClientResponder,
    request: ObservedRequest,
    counts: RequestCounts,
    trace?: ObservedResponder['_trace'],
  ) {
    this._answer = answer;
    this._request = request;
    this._counts = counts;
    this._trace = trace;
    if (answer.aborted) this.handleEvent();
    else answer.addEventListener('abort', this);
  }

  get aborted(): boolean {
    return this._answer.aborted;
  }

  addEventListener(type: 'abort', listener: AbortListener): void {
    this._answer.addEventListener(type, listener);
  }

  removeEventListener(type: 'abort', listener: AbortListener): void {
    this._answer.removeEventListener(type, listener);
  }

  onAbort(callback: () => void): void {
    this._answer.onAbort(callback);
  }

  /** Called when the client disconnects or cancels. */
  handleEvent(): void {
    this._finish(CANCELLED);
  }

  sentTo(sent: SentRequest): TraceContext | undefined {
    this._sent = sent;
    this._sentAt = performance.now();
    return this._trace?.sentTo(sent);
  }

  limited(rejectedBy: string): void {
    this._trace?.limited?.(rejectedBy);
  }

  optimizes(work: OptimizerWork): void {
    this._optimizer = work;
    this._trace?.optimizes?.(work.span);
  }

  runs(run: StartedRun): ObservedRun {
    this._workflow = run.workflow;
    return new ObservedWorkflow(
      run,
      this._trace?.runs?.(run),
      (answer, stepTool, trace) => new ObservedResponder(answer, { ...this._request, stepTool }, this._counts, trace),
    );
  }

  result(json: string | Buffer): void {
    // A tool error that is a string comes from the gateway itself, which has refused the call.
    const isCall = this._request.method === 'tools/call';
    const isRefusal = isCall && typeof json === 'string' && json.includes('"isError":true');
    this._answer.result(json);
    this._finish(isRefusal ? TOOL_ERROR : '');
  }

  error(error: WireError): void {
    this._answer.error(error);
    this.failed(error);
  }

  fail(error: BackendError): void {
    this._answer.fail(error);
    this._finish(error.reason === 'aborted' ? CANCELLED : error.reason, undefined, error.message);
  }

  message(json: string): boolean {
    return this._answer.message(json);
  }

  hold(): void {
    this._answer.hold();
  }

  retry(ms: number): void {
    this._answer.retry?.(ms);
  }

  cancel(): void {
    this._answer.cancel();
    this._finish(CANCELLED);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this._length = length;
    this._answer.start(length, httpStatus);
  }

  /** The chunk is read before it is forwarded: its memory may be released afterwards. */
  data(chunk: Uint8Array): boolean {
    this._error ??= new ResponseError();
    this._error.read(chunk, chunk.length === this._length);
    return this._answer.data(chunk);
  }

  onDrain(resume: () => void): void {
    this._answer.onDrain(resume);
  }

  end(): void {
    this._answer.end();
    const type = this._error?.type ?? '';
    this._finish(type, /^-?\d/.test(type) ? type : undefined);
  }

  /** The gateway core threw an error that refuses the request; the endpoint sends the response. */
  failed(error: unknown): void {
    if (error instanceof WireError) this._finish(String(error.code), String(error.code), error.message);
    else this._finish(INTERNAL);
  }

  /** Records how the request has ended, once. `errorType`: empty for a success. */
  private _finish(errorType: string, code?: string, message?: string): void {
    if (this._isFinished) return;
    this._isFinished = true;
    const now = performance.now();
    const seconds = {
      total: (now - this._startedAt) / 1_000,
      atBackend: this._sent === undefined ? undefined : (now - this._sentAt) / 1_000,
    };
    this._counts.add(this._traits, errorType, seconds, this._trace?.exemplar);
    this._optimizer?.ended(errorType, seconds.total);
    this._trace?.end({ errorType, code, message });
  }

  private get _traits(): RequestTraits {
    const { method, revision, transport, stepTool } = this._request;
    const isStep = stepTool !== undefined;
    const { _workflow: workflow } = this;
    if (workflow !== '') return { method, revision, transport, backend: '', kind: 'tool', name: workflow, isStep };
    const own = this._optimizer?.name;
    const {
      backend = '',
      kind = '',
      name = '',
    } = this._sent ?? (own === undefined ? {} : { kind: 'tool' as const, name: own });
    // Without the URI of a resource, because there is no limit to the number of URIs.
    return { method, revision, transport, backend, kind, name: kind === 'resource' ? '' : (stepTool ?? name), isStep };
  }
}
