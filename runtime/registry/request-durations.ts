/** Durations of requests, by the semantic conventions for HTTP. */
import { Histogram, type TraceOfValue } from '../observe/metrics/histogram.ts';
import { LabelValues } from '../observe/metrics/label-values.ts';
import type { Labels, Metric } from '../observe/metrics/metric.ts';
import { normalizeMethod } from './http-method.ts';

/** Bounds of the buckets in seconds, as the conventions define them. @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ */
const BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The outcome of a request whose client disconnected before the answer. */
export const ABORTED = 'aborted';

export interface AnsweredRequest {
  readonly method: string | undefined;
  /** The route in the bundle's form, with `{…}` for parameters; undefined for a path without a route. */
  readonly route: string | undefined;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
}

/** Measures requests by route. The series continue when the bundle changes; there is a limit to the routes of all bundles together. */
export class RequestDurations {
  readonly #routes = new LabelValues();
  readonly #series = new Map<string, { readonly labels: Labels; readonly histogram: Histogram }>();

  add({ method, route, status }: AnsweredRequest, seconds: number, trace?: TraceOfValue): void {
    const name = normalizeMethod(method);
    const path = route === undefined ? '' : this.#routes.limit(route);
    const key = `${name} ${status ?? ABORTED} ${path}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels: createLabels(name, path, status), histogram: new Histogram(BOUNDS) };
      this.#series.set(key, series);
    }
    series.histogram.observe(seconds, trace);
  }

  metric(): Metric {
    return {
      name: 'http.server.request.duration',
      unit: 's',
      type: 'histogram',
      help: 'Duration of requests at the main address, from their arrival to the end of the answer.',
      samples: [...this.#series.values()].map(({ labels, histogram }) => histogram.sample(labels)),
    };
  }
}

function createLabels(method: string, route: string, status: number | undefined): Labels {
  const error = status === undefined ? ABORTED : status >= 500 ? String(status) : undefined;
  return {
    'http.request.method': method,
    ...(route === '' ? {} : { 'http.route': route }),
    ...(status === undefined ? {} : { 'http.response.status_code': String(status) }),
    ...(error === undefined ? {} : { 'error.type': error }),
  };
}
