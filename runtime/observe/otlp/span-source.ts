/** Creates spans; loaded when a bundle names a collector. */
import type { Attributes, Context } from '@opentelemetry/api';
import type { ParentSpan } from '../../mcp/trace-context.ts';
import type { DeferredSpan, DeferredTracer } from './deferred-tracer.ts';
import type { Sdk } from './load-sdk.ts';

export interface SpanSource {
  readonly sdk: Sdk;
  readonly tracer: DeferredTracer;
  /** The share of recorded requests among those without a trace context of the client, from 0 to 1. */
  readonly samplingRate: number;
  /** Attributes that every span of a request has. */
  readonly environment: Attributes;
}

/** Whether a request is recorded: as the client's trace context says; without a trace context, at random. */
export function isRecorded({ samplingRate }: SpanSource, parent: ParentSpan | undefined): boolean {
  return parent?.isSampled ?? Math.random() < samplingRate;
}

/** The context of a new span: within the span of the client, or in a new trace. */
export function createParentContext(sdk: Sdk, parent: ParentSpan | undefined): Context {
  const { ROOT_CONTEXT, trace } = sdk;
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, wrapRemoteSpan(sdk, parent));
}

/** The context of a span within another span of this process. */
export function createInnerContext({ trace }: Sdk, parentContext: Context, { context }: DeferredSpan): Context {
  return trace.setSpanContext(parentContext, context);
}

/** The context of a span of another process. */
export function wrapRemoteSpan({ createTraceState }: Sdk, { traceId, spanId, isSampled, tracestate }: ParentSpan) {
  const state = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  return { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true, ...state };
}
