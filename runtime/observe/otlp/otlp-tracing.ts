/** Traces requests: decides which requests are recorded, and which trace context is forwarded to backends. */
import type { Attributes, Context } from '@opentelemetry/api';
import { CALL_TOOL, FIND_TOOL } from '#schemas';
import type { OptimizerWork, SentRequest, StartedRun } from '../../mcp/handler.ts';
import {
  formatTraceparent,
  type ParentSpan,
  readRequestTraceContext,
  readTraceContext,
  type TraceContext,
} from '../../mcp/trace-context.ts';
import type { TraceOfValue } from '../metrics/histogram.ts';
import type { RequestEnd, RequestTrace, RunTrace, TracedRequest, Tracing } from '../requests/tracing.ts';
import { type BackendSpanOptions, endSpan, formatSpanName, startBackendSpan, toTraceContext } from './backend-span.ts';
import type { DeferredSpan } from './deferred-tracer.ts';
import { RecordedRun } from './recorded-run.ts';
import { buildNamedAttributes, determineStatus, endAttributes, requestAttributes } from './span-attributes.ts';
import { createInnerContext, createParentContext, isRecorded, type SpanSource, wrapRemoteSpan } from './span-source.ts';
import { createSpanId, createTraceId } from './trace-ids.ts';

export interface OtlpTracingOptions extends BackendSpanOptions {
  /** Attributes of a call that no limit rejected; empty when calls have no limits. */
  limits(): Attributes;
}

/** Creates the spans of a gateway's requests. */
export class OtlpTracing implements Tracing {
  readonly #source: SpanSource;
  readonly #options: OtlpTracingOptions;

  constructor(source: SpanSource, options: OtlpTracingOptions) {
    this.#source = source;
    this.#options = options;
  }

  begin(request: TracedRequest): RequestTrace {
    const { headers } = request.context.http;
    const ofTransport = readTraceContext(headers.traceparent, headers.tracestate);
    const ofMessage = readRequestTraceContext(request.envelope);
    const parent = ofMessage ?? ofTransport;
    if (!isRecorded(this.#source, parent)) return new PassingTrace(parent);
    const link = ofMessage === undefined || ofTransport?.traceId === ofMessage.traceId ? undefined : ofTransport;
    return new RecordedTrace(this.#source, this.#options, request, { parent, link });
  }
}

/** A trace that this gateway does not record: its context is forwarded, marked as not sampled. */
class PassingTrace implements RequestTrace {
  readonly exemplar = undefined;
  private _context: TraceContext | undefined;

  constructor(parent: ParentSpan | undefined) {
    this._context = parent;
  }

  sentTo(): TraceContext {
    this._context ??= createTraceContext();
    return this._context;
  }

  limited(): void {}

  optimizes(): void {}

  runs(): RunTrace {
    return { stepStarted: () => {}, stepEnded: () => {}, call: () => this, ended: () => {} };
  }

  end(): void {}
}

class RecordedTrace implements RequestTrace {
  readonly exemplar: TraceOfValue;
  private readonly _source: SpanSource;
  private readonly _options: OtlpTracingOptions;
  private readonly _request: TracedRequest;
  private readonly _tracestate: string | undefined;
  private _context: Context;
  private readonly _span: DeferredSpan;
  private readonly _startedAt = performance.now();
  private _sent: DeferredSpan | undefined;
  private _optimizer: DeferredSpan | undefined;
  private _isLimited = false;

  constructor(
    source: SpanSource,
    options: OtlpTracingOptions,
    request: TracedRequest,
    { parent, link }: { readonly parent: ParentSpan | undefined; readonly link: ParentSpan | undefined },
  ) {
    this._source = source;
    this._options = options;
    this._request = request;
    this._tracestate = parent?.tracestate;
    const { sdk, tracer, environment } = source;
    const { SpanKind } = sdk;
    const parentContext = createParentContext(sdk, parent);
    const attributes = requestAttributes(request, options);
    this._span = tracer.startSpan(
      request.envelope.method,
      {
        kind: SpanKind.SERVER,
        attributes: () => ({ ...attributes(), ...environment }),
        ...(link === undefined ? {} : { links: [{ context: wrapRemoteSpan(sdk, link) }] }),
      },
      parentContext,
    );
    this._context = createInnerContext(sdk, parentContext, this._span);
    this.exemplar = this._span.context;
  }

  sentTo(sent: SentRequest): TraceContext {
    const { method } = this._request.envelope;
    this._names(sent);
    // A request that is sent again counts as one request.
    this._sent ??= startBackendSpan(this._source, this._options, method, sent, this._context);
    return toTraceContext(this._sent, this._tracestate);
  }

  runs(run: StartedRun): RunTrace {
    this._names({ kind: 'tool', name: run.workflow });
    return new RecordedRun(this._source, this._options, run, {
      parentContext: this._context,
      tracestate: this._tracestate,
    });
  }

  private _names(item: Pick<SentRequest, 'kind' | 'name'>): void {
    const { method } = this._request.envelope;
    const { useLegacyAttributes } = this._options;
    this._span.rename(formatSpanName(method, item.kind, item.name));
    this._span.add(() => buildNamedAttributes(item, method, useLegacyAttributes));
  }

  optimizes(name: OptimizerWork['span']): void {
    // The name of the span, until the name of the tool is known that the optimizer calls.
    this._names({ kind: 'tool', name: name === 'optimizer.FindTool' ? FIND_TOOL : CALL_TOOL });
    this._optimizer = this._source.tracer.startSpan(name, {}, this._context);
    this._context = createInnerContext(this._source.sdk, this._context, this._optimizer);
  }

  limited(rejectedBy: string): void {
    this._isLimited = true;
    this._span.add({
      'rate_limit.decision': 'rejected',
      'rate_limit.rejected_by': rejectedBy,
      'rate_limit.fail_open': false,
    });
  }

  end(end: RequestEnd): void {
    const attributes = endAttributes(end);
    const status = determineStatus(this._request, end);
    const isLegacy = this._options.useLegacyAttributes;
    if (this._request.envelope.method === 'tools/call' && !this._isLimited) this._span.add(this._options.limits());
    this._span.add({
      ...attributes,
      'http.response.status_code': status,
      ...(isLegacy ? { 'http.status_code': status, 'http.duration_ms': performance.now() - this._startedAt } : {}),
    });
    this._sent?.add(attributes);
    this._optimizer?.add(attributes);
    for (const span of [this._sent, this._optimizer, this._span])
      if (span !== undefined) endSpan(span, this._source, end);
  }
}

/** The context of a span that has no parent. */
function createTraceContext(): TraceContext {
  return { traceparent: formatTraceparent(createTraceId(), createSpanId(), false) };
}
