/** Observes each request at the main address: counts and measures it, and creates a span if it is traced. */
import type { IncomingMessage } from 'node:http';
import type { SpanSource } from '../observe/otlp/span-source.ts';
import type { TableRoute } from './http/route-table.ts';
import { type CountedRoute, RequestCounts } from './request-counts.ts';
import { RequestDurations } from './request-durations.ts';
import { beginSpan } from './request-spans.ts';

const NO_ROUTE: CountedRoute = { operation: 'none', registry: '' };

export class RequestObserver {
  readonly counts: RequestCounts = new RequestCounts();
  readonly durations: RequestDurations = new RequestDurations();
  /** Undefined while requests are not traced. */
  spans: SpanSource | undefined;

  /**
   * @param route undefined for a path without a route
   * @returns a function to call once with the status of the answer, or undefined when there was none
   */
  begin(req: IncomingMessage, path: string, route: TableRoute | undefined): (status: number | undefined) => void {
    const startedAt = performance.now();
    const span = this.spans && beginSpan(this.spans, req, path, route?.path);
    return status => {
      this.counts.add(toCountedRoute(route), status);
      const seconds = (performance.now() - startedAt) / 1_000;
      this.durations.add({ method: req.method, route: route?.path, status }, seconds, span?.exemplar);
      span?.end(status);
    };
  }
}

function toCountedRoute(route: TableRoute | undefined): CountedRoute {
  if (route === undefined) return NO_ROUTE;
  const { operation } = route;
  return { operation: operation.type, registry: 'registry' in operation ? operation.registry : '' };
}
