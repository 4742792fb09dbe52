import type { Exemplar, HistogramSample, Labels } from './metric.ts';

/** A trace that a measured value belongs to. */
export interface TraceOfValue {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * Bounds of durations, in seconds: those of the semantic conventions for MCP.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export const DURATION_BOUNDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Counts values by their size. Its memory does not depend on the number of values. */
export class Histogram {
  readonly bounds: readonly number[];
  private readonly _counts: number[];
  private _sum = 0;
  private _count = 0;
  private _exemplars: (Exemplar | undefined)[] | undefined;

  /** @param bounds upper bounds of the buckets, in ascending order */
  constructor(bounds: readonly number[] = DURATION_BOUNDS) {
    this.bounds = bounds;
    this._counts = new Array<number>(bounds.length + 1).fill(0);
  }

  get count(): number {
    return this._count;
  }

  /** @param trace the trace of the measured request, if it is recorded */
  observe(value: number, trace?: TraceOfValue): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    this._counts[at] = (this._counts[at] as number) + 1;
    this._sum += value;
    this._count++;
    if (trace !== undefined) this._keep(at, value, trace);
  }

  /** The counts so far. */
  sample(labels: Labels): HistogramSample {
    return {
      labels,
      bounds: this.bounds,
      counts: [...this._counts],
      sum: this._sum,
      count: this._count,
      exemplars: this._exemplars === undefined ? [] : [...this._exemplars],
    };
  }

  private _keep(at: number, value: number, { traceId, spanId }: TraceOfValue): void {
    this._exemplars ??= [];
    this._exemplars[at] = { traceId, spanId, value, at: Date.now() };
  }
}
