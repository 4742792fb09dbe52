import type { Metric } from '../observe/metrics/metric.ts';
import { renderMetrics } from '../observe/metrics/prometheus-text.ts';
import type { Route } from './listener.ts';
import { createJsonPage, createTextPage, guardPage } from './page.ts';

/** The contents of the pages on the internal address. Each request calls the function of its page. */
export interface InternalPages {
  /** Whether the process is ready to receive requests of clients, for `/readyz`. */
  ready(): boolean;
  version(): unknown;
  /** A promise when several processes are queried. */
  status(): unknown;
  metrics(): readonly Metric[] | Promise<readonly Metric[]>;
}

/** The page for Prometheus. */
export function createMetricsRoute(metrics: InternalPages['metrics']): Route {
  return guardPage(
    createTextPage(accept => {
      const found = metrics();
      return found instanceof Promise ? found.then(all => renderMetrics(all, accept)) : renderMetrics(found, accept);
    }),
  );
}

/**
 * The pages for probes and operators. They are served on the internal address only: they name backends and need no token.
 */
export function createInternalRoutes(pages: InternalPages): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/health', createJsonPage(() => ({ body: { status: 'ok' } }))],
    [
      '/readyz',
      createJsonPage(() =>
        pages.ready() ? { body: { status: 'ready' } } : { status: 503, body: { status: 'not_ready' } },
      ),
    ],
    ['/version', guardPage(createJsonPage(() => ({ body: pages.version() })))],
    ['/status', guardPage(createJsonPage(() => wrapBody(pages.status())))],
    ['/metrics', createMetricsRoute(() => pages.metrics())],
  ]);
}

function wrapBody(page: unknown): { readonly body: unknown } | Promise<{ readonly body: unknown }> {
  return page instanceof Promise ? page.then((body: unknown) => ({ body })) : { body: page };
}
