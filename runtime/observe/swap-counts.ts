import { Histogram } from './metrics/histogram.ts';

/** What became of bundles that came while another one was served. */
export class SwapCounts {
  /** From the reading of a bundle until it is served, of those that are. */
  readonly seconds: Histogram = new Histogram();
  refused = 0;
  /** When the bundle of now began to be served; milliseconds since 1970. */
  latestAt: number = Date.now();

  /** @param startedAt by `performance.now()` */
  served(startedAt: number): void {
    this.seconds.observe((performance.now() - startedAt) / 1_000);
    this.latestAt = Date.now();
  }
}
