/** Requests as traces: who is recorded, and what is sent along. */
import { randomFillSync } from 'node:crypto';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { SentRequest } from '../../mcp/handler.ts';
import {
  type ParentSpan,
  readTraceContext,
  type TraceContext,
  traceContextIn,
  traceparentOf,
} from '../../mcp/trace-context.ts';
import type { TraceOfValue } from '../metrics/histogram.ts';
import type { RequestEnd, RequestTrace, TracedRequest, Tracing } from '../requests/tracing.ts';
import {
  type AttributeOptions,
  endAttributes,
  namedAttributes,
  requestAttributes,
  statusOf,
} from './span-attributes.ts';
import { contextIn, isRecorded, remoteSpan, type SpanSource } from './span-source.ts';

export interface OtlpTracingOptions extends AttributeOptions {
  /** Attributes of the span of a request to a backend, by its name. */
  backend(name: string): Attributes;
  /** Attributes of a call that was not rejected by a limit; empty where calls have none. */
  limits(): Attributes;
}

/** Requests of a gateway as spans. */
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
    const ofMessage = traceContextIn(request.envelope);
    const parent = ofMessage ?? ofTransport;
    if (!isRecorded(this.#source, parent)) return new PassingTrace(parent);
    const link = ofMessage === undefined || ofTransport?.traceId === ofMessage.traceId ? undefined : ofTransport;
    return new RecordedTrace(this.#source, this.#options, request, { parent, link });
  }
}

/** Is not recorded here: others on the way learn that, and of which trace it is. */
class PassingTrace implements RequestTrace {
  readonly exemplar = undefined;
  private readonly _parent: ParentSpan | undefined;

  constructor(parent: ParentSpan | undefined) {
    this._parent = parent;
  }

  sentTo(): TraceContext {
    if (this._parent !== undefined) return this._parent;
    const ids = randomHex();
    return { traceparent: traceparentOf(ids.slice(0, 32), ids.slice(32), false) };
  }

  limited(): void {}

  end(): void {}
}

class RecordedTrace implements RequestTrace {
  readonly exemplar: TraceOfValue;
  private readonly _source: SpanSource;
  private readonly _options: OtlpTracingOptions;
  private readonly _request: TracedRequest;
  private readonly _tracestate: string | undefined;
  private readonly _context: Context;
  private readonly _span: Span;
  private readonly _startedAt = performance.now();
  private _sent: Span | undefined;
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
    const { SpanKind, trace } = sdk;
    const around = contextIn(sdk, parent);
    this._span = tracer.startSpan(
      request.envelope.method,
      {
        kind: SpanKind.SERVER,
        attributes: { ...requestAttributes(request, options), ...environment },
        ...(link === undefined ? {} : { links: [{ context: remoteSpan(sdk, link) }] }),
      },
      around,
    );
    this._context = trace.setSpan(around, this._span);
    this.exemplar = this._span.spanContext();
  }

  sentTo(sent: SentRequest): TraceContext {
    const { method } = this._request.envelope;
    const { useLegacyAttributes: isLegacy } = this._options;
    const { kind, name, originalName } = sent;
    const titled = (target: string) => (kind === 'resource' ? method : `${method} ${target}`);
    this._span.updateName(titled(name));
    this._span.setAttributes(namedAttributes(sent, method, isLegacy));
    // A request that is sent again is one request.
    this._sent ??= this._source.tracer.startSpan(
      titled(originalName),
      {
        kind: this._source.sdk.SpanKind.CLIENT,
        attributes: {
          'mcp.method.name': method,
          'rpc.system.name': 'jsonrpc',
          'network.transport': 'tcp',
          'network.protocol.name': 'http',
          'target.workload_id': sent.backend,
          'target.workload_name': sent.backend,
          ...namedAttributes({ kind, name: originalName }, method, isLegacy),
          ...this._options.backend(sent.backend),
        },
      },
      this._context,
    );
    const { traceId, spanId } = this._sent.spanContext();
    return { traceparent: traceparentOf(traceId, spanId, true), tracestate: this._tracestate };
  }

  limited(rejectedBy: string): void {
    this._isLimited = true;
    this._span.setAttributes({
      'rate_limit.decision': 'rejected',
      'rate_limit.rejected_by': rejectedBy,
      'rate_limit.fail_open': false,
    });
  }

  end(end: RequestEnd): void {
    const attributes = endAttributes(end);
    const status = statusOf(this._request, end);
    const isLegacy = this._options.useLegacyAttributes;
    if (this._request.envelope.method === 'tools/call' && !this._isLimited)
      this._span.setAttributes(this._options.limits());
    this._span.setAttributes({
      ...attributes,
      'http.response.status_code': status,
      ...(isLegacy ? { 'http.status_code': status, 'http.duration_ms': performance.now() - this._startedAt } : {}),
    });
    this._sent?.setAttributes(attributes);
    for (const span of [this._sent, this._span]) {
      if (end.errorType !== '')
        span?.setStatus({ code: this._source.sdk.SpanStatusCode.ERROR, message: end.message ?? '' });
      span?.end();
    }
  }
}

/** Random bytes are cheap by the page. */
const pool = Buffer.alloc(24 * 256);
let taken = pool.length;

/** A trace and a span, 48 hexadecimal digits together. */
function randomHex(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += 24;
  return pool.toString('hex', taken - 24, taken);
}
