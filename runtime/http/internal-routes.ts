import type { Metric } from '../observe/metrics/metric.ts';
import { metricsPage } from '../observe/metrics/prometheus-text.ts';
import type { Route } from './listener.ts';
import { guardedPage, jsonPage, textPage } from './page.ts';

/** The internal address's pages. Each function is called for every request. */
export interface InternalPages {
  /** Whether clients may be sent here. */
  ready(): boolean;
  version(): unknown;
  /** A promise when several processes are queried. */
  status(): unknown;
  metrics(): readonly Metric[] | Promise<readonly Metric[]>;
}

/** The page for Prometheus. */
export function metricsRoute(metrics: InternalPages['metrics']): Route {
  return guardedPage(
    textPage(accept => {
      const found = metrics();
      return found instanceof Promise ? found.then(all => metricsPage(all, accept)) : metricsPage(found, accept);
    }),
  );
}

/**
 * The pages for probes and operators. They are served on the internal address only: they name backends and need no token.
 */
export function internalRoutes(pages: InternalPages): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/health', jsonPage(() => ({ body: { status: 'ok' } }))],
    [
      '/readyz',
      jsonPage(() => (pages.ready() ? { body: { status: 'ready' } } : { status: 503, body: { status: 'not_ready' } })),
    ],
    ['/version', guardedPage(jsonPage(() => ({ body: pages.version() })))],
    ['/status', guardedPage(jsonPage(() => wrapBody(pages.status())))],
    ['/metrics', metricsRoute(() => pages.metrics())],
  ]);
}

function wrapBody(page: unknown): { readonly body: unknown } | Promise<{ readonly body: unknown }> {
  return page instanceof Promise ? page.then((body: unknown) => ({ body })) : { body: page };
}
