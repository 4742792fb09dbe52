import { createMetricsRoute } from '../http/internal-routes.ts';
import type { Route } from '../http/listener.ts';
import { createJsonPage, guardPage } from '../http/page.ts';
import type { Metric } from '../observe/metrics/metric.ts';

/** The contents of the pages on the internal address. Each request calls the function of its page. */
export interface InternalPages {
  /** Whether the process is ready to receive requests of clients, for `/readyz`. */
  ready(): boolean;
  version(): unknown;
  status(): unknown;
  metrics(): readonly Metric[];
}

/**
 * The pages for probes and operators. They are served on the internal address only: they need no token, and name sources,
 * providers and files.
 */
export function createInternalRoutes(pages: InternalPages): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/health', createJsonPage(() => ({ body: { status: 'healthy' } }))],
    [
      '/readiness',
      createJsonPage(() =>
        pages.ready() ? { body: { status: 'ready' } } : { status: 503, body: { error: 'service not ready' } },
      ),
    ],
    ['/version', guardPage(createJsonPage(() => ({ body: pages.version() })))],
    ['/status', guardPage(createJsonPage(() => ({ body: pages.status() })))],
    ['/metrics', createMetricsRoute(() => pages.metrics())],
  ]);
}
