import type { Attributes, Context } from '@opentelemetry/api';
import type { AggregatorWork, OwnWork, WorkTracing } from '../own-work.ts';
import { endSpan } from './backend-span.ts';
import type { DeferredSpan } from './deferred-tracer.ts';
import { createInnerContext, isRecorded, type SpanSource } from './span-source.ts';

/** Creates spans of work that the gateway does without a client's request. They are sampled at the same rate as requests. */
export class WorkSpans implements WorkTracing {
  readonly #source: SpanSource;

  constructor(source: SpanSource) {
    this.#source = source;
  }

  begin(name: AggregatorWork, attributes: Attributes): OwnWork | undefined {
    if (!isRecorded(this.#source, undefined)) return undefined;
    return new WorkSpan(this.#source, this.#source.sdk.ROOT_CONTEXT, name, attributes);
  }
}

class WorkSpan implements OwnWork {
  readonly #source: SpanSource;
  readonly #span: DeferredSpan;
  readonly #context: Context;

  constructor(source: SpanSource, parentContext: Context, name: AggregatorWork, attributes: Attributes = {}) {
    this.#source = source;
    this.#span = source.tracer.startSpan(name, { attributes }, parentContext);
    this.#context = createInnerContext(source.sdk, parentContext, this.#span);
  }

  part(name: AggregatorWork): OwnWork {
    return new WorkSpan(this.#source, this.#context, name);
  }

  end(errorType = ''): void {
    if (this.#span.hasEnded) return;
    if (errorType !== '') this.#span.add({ 'error.type': errorType });
    endSpan(this.#span, this.#source, { errorType, code: undefined, message: undefined });
  }
}
