import type { Attributes, Context, SpanContext, SpanOptions, SpanStatus } from '@opentelemetry/api';
import { Batch } from '../batch.ts';
import type { Sdk } from './load-sdk.ts';
import { createSpanId, createTraceId } from './trace-ids.ts';

/** How many spans are created together, and how long an ended span waits for others, in milliseconds. */
const SPANS = { size: 32, waitMs: 100 };

/** Attributes, or a function that computes them when the span is created. */
export type LazyAttributes = Attributes | (() => Attributes);

export interface DeferredSpanOptions extends Pick<SpanOptions, 'kind' | 'links'> {
  readonly attributes?: LazyAttributes;
}

type Tracer = ReturnType<InstanceType<Sdk['TracerProvider']>['getTracer']>;

/** The SDK's source of ids: it returns the ids of the next span, which were already sent to backends. */
export class PresetIds {
  next: Pick<SpanContext, 'spanId' | 'traceId'> = { traceId: '', spanId: '' };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}

/**
 * Creates the SDK's spans after they have ended, several at a time. If they were created during the calls, and only one call of twenty is recorded,
 * the code of the SDK would never be in the processor's caches.
 */
export class DeferredTracer {
  readonly #sdk: Sdk;
  readonly #tracer: Tracer;
  readonly #ids: PresetIds;
  readonly #ended = new Batch<DeferredSpan>(span => this.#make(span), SPANS);

  /** @param ids the source of ids for the tracer's provider */
  constructor(sdk: Sdk, tracer: Tracer, ids: PresetIds) {
    this.#sdk = sdk;
    this.#tracer = tracer;
    this.#ids = ids;
  }

  /** @param parentContext the context of the parent span: the caller's, or the root */
  startSpan(name: string, options: DeferredSpanOptions, parentContext: Context): DeferredSpan {
    const parent = this.#sdk.trace.getSpanContext(parentContext);
    return new DeferredSpan(name, options, parentContext, parent, span => this.#ended.add(span));
  }

  /** Creates the spans that have ended. */
  flush(): void {
    this.#ended.flush();
  }

  #make(span: DeferredSpan): void {
    this.#ids.next = span.context;
    span.make(this.#tracer);
  }
}

/** A recorded span before its export. Members are `private` without `#`, because each call creates some (see README.md of the runtime). */
export class DeferredSpan {
  readonly context: SpanContext;
  private _name: string;
  private readonly _options: DeferredSpanOptions;
  private readonly _around: Context;
  private readonly _onEnd: (span: DeferredSpan) => void;
  private readonly _startedAt = performance.now();
  private readonly _attributes: LazyAttributes[] = [];
  private _status: SpanStatus | undefined;
  private _endedAt: number | undefined;

  constructor(
    name: string,
    options: DeferredSpanOptions,
    parentContext: Context,
    parent: SpanContext | undefined,
    onEnd: (span: DeferredSpan) => void,
  ) {
    this._name = name;
    this._options = options;
    this._around = parentContext;
    this._onEnd = onEnd;
    const traceState = parent?.traceState;
    this.context = {
      traceId: parent?.traceId ?? createTraceId(),
      spanId: createSpanId(),
      traceFlags: 1,
      ...(traceState === undefined ? {} : { traceState }),
    };
  }

  get hasEnded(): boolean {
    return this._endedAt !== undefined;
  }

  rename(name: string): void {
    this._name = name;
  }

  add(attributes: LazyAttributes): void {
    this._attributes.push(attributes);
  }

  setStatus(status: SpanStatus): void {
    this._status = status;
  }

  end(): void {
    if (this._endedAt !== undefined) return;
    this._endedAt = performance.now();
    this._onEnd(this);
  }

  make(tracer: Tracer): void {
    const { attributes = {}, ...options } = this._options;
    const span = tracer.startSpan(
      this._name,
      { ...options, attributes: resolve(attributes), startTime: this._startedAt },
      this._around,
    );
    for (const more of this._attributes) span.setAttributes(resolve(more));
    if (this._status !== undefined) span.setStatus(this._status);
    span.end(this._endedAt);
  }
}

function resolve(attributes: LazyAttributes): Attributes {
  return typeof attributes === 'function' ? attributes() : attributes;
}
