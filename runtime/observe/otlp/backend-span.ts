import type { Attributes, Context } from '@opentelemetry/api';
import type { SentRequest } from '../../mcp/handler.ts';
import { formatTraceparent, type TraceContext } from '../../mcp/trace-context.ts';
import type { RequestEnd } from '../requests/tracing.ts';
import type { DeferredSpan } from './deferred-tracer.ts';
import { type AttributeOptions, buildNamedAttributes } from './span-attributes.ts';
import type { SpanSource } from './span-source.ts';

export interface BackendSpanOptions extends AttributeOptions {
  /** Attributes of the span of a request to a backend, by its name. */
  backend(name: string): Attributes;
}

/** Starts the span of a request to a backend. @param parentContext the span of the sender */
export function startBackendSpan(
  { tracer, sdk }: SpanSource,
  options: BackendSpanOptions,
  method: string,
  { backend, kind, originalName }: SentRequest,
  parentContext: Context,
): DeferredSpan {
  const attributes = () => ({
    'mcp.method.name': method,
    'rpc.system.name': 'jsonrpc',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'target.workload_id': backend,
    'target.workload_name': backend,
    ...buildNamedAttributes({ kind, name: originalName }, method, options.useLegacyAttributes),
    ...options.backend(backend),
  });
  return tracer.startSpan(
    formatSpanName(method, kind, originalName),
    { kind: sdk.SpanKind.CLIENT, attributes },
    parentContext,
  );
}

/** The name of a span. It does not contain the URI of a resource, because there is no limit to the number of URIs. */
export function formatSpanName(method: string, kind: SentRequest['kind'], name: string): string {
  return kind === 'resource' ? method : `${method} ${name}`;
}

/** The trace context for the backend, so that its spans are children of this one. */
export function toTraceContext({ context }: DeferredSpan, tracestate: string | undefined): TraceContext {
  return { traceparent: formatTraceparent(context.traceId, context.spanId, true), tracestate };
}

export function endSpan(span: DeferredSpan, { sdk }: SpanSource, { errorType, message }: RequestEnd): void {
  if (errorType !== '') span.setStatus({ code: sdk.SpanStatusCode.ERROR, message: message ?? '' });
  span.end();
}
