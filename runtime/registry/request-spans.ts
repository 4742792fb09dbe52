/**
 * Creates spans of requests, by the semantic conventions for HTTP. They do not contain the query of the URL, because it contains what people search
 * for; neither does the audit log.
 */
import type { IncomingMessage } from 'node:http';
import { readTraceContext } from '../mcp/trace-context.ts';
import type { TraceOfValue } from '../observe/metrics/histogram.ts';
import type { DeferredSpan } from '../observe/otlp/deferred-tracer.ts';
import { parseHostHeader } from '../observe/otlp/span-attributes.ts';
import { createParentContext, isRecorded, type SpanSource } from '../observe/otlp/span-source.ts';
import { normalizeMethod } from './http-method.ts';
import { ABORTED } from './request-durations.ts';

/** The span of a request. */
export class RequestSpan {
  readonly exemplar: TraceOfValue;
  readonly #span: DeferredSpan;
  readonly #failed: number;

  constructor(span: DeferredSpan, failed: number) {
    this.exemplar = span.context;
    this.#span = span;
    this.#failed = failed;
  }

  /** @param status undefined when there was no answer */
  end(status: number | undefined): void {
    if (status !== undefined) this.#span.add({ 'http.response.status_code': status });
    // A status 4xx is a mistake of the caller, and no error of the server.
    const error = status === undefined ? ABORTED : status >= 500 ? String(status) : undefined;
    if (error !== undefined) {
      this.#span.add({ 'error.type': error });
      this.#span.setStatus({ code: this.#failed });
    }
    this.#span.end();
  }
}

/** @returns undefined for a request that is not recorded */
export function beginSpan(
  source: SpanSource,
  req: IncomingMessage,
  path: string,
  route: string | undefined,
): RequestSpan | undefined {
  const { headers } = req;
  const parent = readTraceContext(headers.traceparent, headers.tracestate);
  if (!isRecorded(source, parent)) return undefined;
  const { sdk, tracer, environment } = source;
  const method = normalizeMethod(req.method);
  const [address, port] = parseHostHeader(headers.host);
  const span = tracer.startSpan(
    route === undefined ? method : `${method} ${route}`,
    {
      kind: sdk.SpanKind.SERVER,
      attributes: {
        'http.request.method': method,
        ...(method === req.method ? {} : { 'http.request.method_original': req.method ?? '' }),
        ...(route === undefined ? {} : { 'http.route': route }),
        'url.scheme': 'http',
        'url.path': path,
        'server.address': address,
        ...(port === undefined ? {} : { 'server.port': port }),
        'network.protocol.version': req.httpVersion,
        ...(req.socket.remoteAddress === undefined ? {} : { 'client.address': req.socket.remoteAddress }),
        ...(headers['user-agent'] === undefined ? {} : { 'user_agent.original': headers['user-agent'] }),
        ...environment,
      },
    },
    createParentContext(sdk, parent),
  );
  return new RequestSpan(span, sdk.SpanStatusCode.ERROR);
}
