/** Creates the spans of workflow runs: one for the run, within it one for each step, and within these the calls to backends. */
import type { Context } from '@opentelemetry/api';
import type { ObservedRun, SentRequest, StartedRun } from '../../mcp/handler.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';
import type { TraceOfValue } from '../metrics/histogram.ts';
import type { CallTrace, RequestEnd, RunTrace } from '../requests/tracing.ts';
import { type BackendSpanOptions, endSpan, startBackendSpan, toTraceContext } from './backend-span.ts';
import type { DeferredSpan } from './deferred-tracer.ts';
import { endAttributes } from './span-attributes.ts';
import { createInnerContext, type SpanSource } from './span-source.ts';

/** The trace context of the client's call that runs the workflow. */
interface Caller {
  readonly parentContext: Context;
  readonly tracestate: string | undefined;
}

export class RecordedRun implements RunTrace {
  readonly #source: SpanSource;
  readonly #options: BackendSpanOptions;
  readonly #traits: { readonly 'workflow.id': string; readonly 'workflow.name': string };
  readonly #tracestate: string | undefined;
  readonly #context: Context;
  readonly #span: DeferredSpan;
  /** The spans of running steps. */
  readonly #steps = new Map<string, DeferredSpan>();

  constructor(source: SpanSource, options: BackendSpanOptions, run: StartedRun, { parentContext, tracestate }: Caller) {
    this.#source = source;
    this.#options = options;
    this.#traits = { 'workflow.id': run.id, 'workflow.name': run.workflow };
    this.#tracestate = tracestate;
    this.#span = source.tracer.startSpan('core.ExecuteWorkflow', { attributes: this.#traits }, parentContext);
    this.#context = createInnerContext(source.sdk, parentContext, this.#span);
  }

  stepStarted(step: string, type: string): void {
    const attributes = { ...this.#traits, 'workflow.step.id': step, 'workflow.step.type': type };
    this.#steps.set(step, this.#source.tracer.startSpan(`step ${step}`, { attributes }, this.#context));
  }

  /** A skipped step becomes a span without a duration. */
  stepEnded(step: string, type: string, ...[status, reason]: SpanEnd): void {
    if (!this.#steps.has(step)) this.stepStarted(step, type);
    this.#end(this.#steps.get(step), 'workflow.step.status', status, reason);
    this.#steps.delete(step);
  }

  call(step: string): CallTrace {
    const span = this.#steps.get(step) ?? this.#span;
    const parentContext = createInnerContext(this.#source.sdk, this.#context, span);
    return new RecordedCall(this.#source, this.#options, { parentContext, tracestate: this.#tracestate });
  }

  ended(...[status, reason]: Parameters<ObservedRun['ended']>): void {
    if (this.#span.hasEnded) return;
    const reasonOfStep = status === 'waiting' ? '' : 'stopped';
    for (const span of this.#steps.values()) this.#end(span, 'workflow.step.status', status, reasonOfStep);
    this.#end(this.#span, 'workflow.status', status, reason);
  }

  /** Ends a span. It has only the class of a failure: a message could contain text of templates or backends, which spans must not contain. */
  #end(span: DeferredSpan | undefined, name: string, ...[status, reason]: SpanEnd): void {
    span?.add({ [name]: status, ...(reason === '' ? {} : { 'error.type': reason }) });
    if (span !== undefined) endSpan(span, this.#source, { errorType: reason, code: undefined, message: undefined });
  }
}

type SpanEnd = [status: string, reason: string];

/** The call of a step. Members are `private` without `#`: one is made for each call (see README.md of the runtime). */
class RecordedCall implements CallTrace {
  private readonly _source: SpanSource;
  private readonly _options: BackendSpanOptions;
  private readonly _caller: Caller;
  private _sent: DeferredSpan | undefined;

  constructor(source: SpanSource, options: BackendSpanOptions, caller: Caller) {
    this._source = source;
    this._options = options;
    this._caller = caller;
  }

  get exemplar(): TraceOfValue | undefined {
    return this._sent?.context;
  }

  sentTo(sent: SentRequest): TraceContext {
    const { parentContext, tracestate } = this._caller;
    this._sent ??= startBackendSpan(this._source, this._options, 'tools/call', sent, parentContext);
    return toTraceContext(this._sent, tracestate);
  }

  end(end: RequestEnd): void {
    this._sent?.add(endAttributes(end));
    if (this._sent !== undefined) endSpan(this._sent, this._source, end);
  }
}
