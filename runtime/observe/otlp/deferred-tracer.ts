import type { Attributes, Context, SpanContext, SpanOptions, SpanStatus } from '@opentelemetry/api';
import type { Sdk } from './load-sdk.ts';
import { newSpanId, newTraceId } from './trace-ids.ts';

/** So long an ended span may wait for others, in milliseconds; less when there are many. */
const WAIT_MS = 100;
const BATCH = 32;

/** Computed when the span is made, or given as they are. */
export type LazyAttributes = Attributes | (() => Attributes);

export interface DeferredSpanOptions extends Pick<SpanOptions, 'kind' | 'links'> {
  readonly attributes?: LazyAttributes;
}

type Tracer = ReturnType<InstanceType<Sdk['TracerProvider']>['getTracer']>;

/** Gives the SDK the ids of the span that it makes next: they were sent to backends long before. */
export class GivenIds {
  next: Pick<SpanContext, 'spanId' | 'traceId'> = { traceId: '', spanId: '' };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}

/**
 * Makes spans when they have ended, several at a time. The code of the SDK is out of the processor's caches where one call of twenty is
 * recorded, and takes five times as long then.
 */
export class DeferredTracer {
  readonly #sdk: Sdk;
  readonly #tracer: Tracer;
  readonly #ids: GivenIds;
  #ended: DeferredSpan[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param ids what the provider of the tracer takes ids from */
  constructor(sdk: Sdk, tracer: Tracer, ids: GivenIds) {
    this.#sdk = sdk;
    this.#tracer = tracer;
    this.#ids = ids;
  }

  /** @param around where the span begins; its caller's, or the root */
  startSpan(name: string, options: DeferredSpanOptions, around: Context): DeferredSpan {
    const parent = this.#sdk.trace.getSpanContext(around);
    return new DeferredSpan(name, options, around, parent, span => this.#add(span));
  }

  /** Makes all that have ended. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const spans = this.#ended;
    this.#ended = [];
    for (const span of spans) {
      this.#ids.next = span.context;
      span.make(this.#tracer);
    }
  }

  #add(span: DeferredSpan): void {
    this.#ended.push(span);
    if (this.#ended.length >= BATCH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS).unref();
  }
}

/** A span as it was seen. Members are `private` without `#`: some are made for each call (see README.md of the runtime). */
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
    around: Context,
    parent: SpanContext | undefined,
    onEnd: (span: DeferredSpan) => void,
  ) {
    this._name = name;
    this._options = options;
    this._around = around;
    this._onEnd = onEnd;
    const traceState = parent?.traceState;
    this.context = {
      traceId: parent?.traceId ?? newTraceId(),
      spanId: newSpanId(),
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
