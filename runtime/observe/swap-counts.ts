import { Histogram } from './metrics/histogram.ts';
import type { HistogramSample, Labels } from './metrics/metric.ts';

/** The members of `SwapCounts` that metrics read. */
export interface SwapFigures {
  readonly seconds: { readonly count: number; sample(labels: Labels): HistogramSample };
  readonly refused: number;
  readonly latestAt: number;
}

/** Counts how often a new bundle replaced the active bundle, or was refused. */
export class SwapCounts implements SwapFigures {
  /** The times from reading a new bundle until it was active. */
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
