import { metricsRoute } from '../http/internal-routes.ts';
import type { Route } from '../http/listener.ts';
import { guardedPage, jsonPage } from '../http/page.ts';
import type { Metric } from '../observe/metrics/metric.ts';

/** The internal address's pages. Each function is called for every request. */
export interface InternalPages {
  /** May clients be sent here? */
  ready(): boolean;
  version(): unknown;
  status(): unknown;
  metrics(): readonly Metric[];
}

/**
 * The pages for probes and operators. They are served on the internal address only: they need no token, and name sources,
 * providers and files.
 */
export function internalRoutes(pages: InternalPages): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/health', jsonPage(() => ({ body: { status: 'healthy' } }))],
    [
      '/readiness',
      jsonPage(() =>
        pages.ready() ? { body: { status: 'ready' } } : { status: 503, body: { error: 'service not ready' } },
      ),
    ],
    ['/version', guardedPage(jsonPage(() => ({ body: pages.version() })))],
    ['/status', guardedPage(jsonPage(() => ({ body: pages.status() })))],
    ['/metrics', metricsRoute(() => pages.metrics())],
  ]);
}
