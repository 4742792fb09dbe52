import { Histogram } from './metrics/histogram.ts';
import type { HistogramSample, Labels } from './metrics/metric.ts';

/** The part of the counts that metrics read. */
export interface SwapFigures {
  readonly seconds: { readonly count: number; sample(labels: Labels): HistogramSample };
  readonly refused: number;
  readonly latestAt: number;
}

/** The outcomes of bundles that arrived while another one was served. */
export class SwapCounts implements SwapFigures {
  /** The time from reading a bundle until it was served, for served bundles. */
  readonly seconds: Histogram = new Histogram();
  refused = 0;
  /** When the current bundle began to be served; milliseconds since 1970. */
  latestAt: number = Date.now();

  /** @param startedAt by `performance.now()` */
  served(startedAt: number): void {
    this.seconds.observe((performance.now() - startedAt) / 1_000);
    this.latestAt = Date.now();
  }
}
