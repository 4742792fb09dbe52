import { Histogram } from '../../observe/metrics/histogram.ts';
import { LabelValues, OTHER } from '../../observe/metrics/label-values.ts';
import type { FoundTools, SearchKind } from './optimizer.ts';

const RESULT_BOUNDS: readonly number[] = [0, 1, 2, 5, 10, 20, 50];
const PERCENT_BOUNDS: readonly number[] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 100];

/** Calls through `call_tool` of one tool. */
export interface CallCounts {
  requests: number;
  errors: number;
  notFound: number;
  readonly seconds: Histogram;
}

/** How clients used the optimizer's two tools since the start. */
export class OptimizerCounts {
  findRequests = 0;
  findErrors = 0;
  readonly findSeconds: Histogram = new Histogram();
  readonly results: Histogram = new Histogram(RESULT_BOUNDS);
  readonly savedPercent: Histogram = new Histogram(PERCENT_BOUNDS);
  readonly searches: Record<SearchKind, number> = { keyword: 0, semantic: 0, hybrid: 0 };
  /** Counts of calls, by the name of the tool. */
  readonly calls: Map<string, CallCounts> = new Map();
  readonly #names = new LabelValues();

  found({ tools, metrics, search }: FoundTools): void {
    this.results.observe(tools.length);
    this.savedPercent.observe(metrics.savings_percent);
    this.searches[search]++;
  }

  /**
   * Counts a call of `find_tool` that has ended.
   * @param errorType empty after a success
   */
  findEnded(errorType: string, seconds: number): void {
    this.findRequests++;
    if (errorType !== '') this.findErrors++;
    this.findSeconds.observe(seconds);
  }

  /**
   * Counts a call of `call_tool` that has ended.
   * @param name of a tool that exists for its caller; undefined where none does
   */
  callEnded(name: string | undefined, errorType: string, seconds: number): void {
    // A name that a client invents must not become the value of a label.
    const counts = this.#getCalls(name === undefined ? OTHER : this.#names.limit(name));
    counts.requests++;
    if (errorType !== '') counts.errors++;
    if (name === undefined) counts.notFound++;
    counts.seconds.observe(seconds);
  }

  #getCalls(name: string): CallCounts {
    let counts = this.calls.get(name);
    if (counts === undefined) {
      counts = { requests: 0, errors: 0, notFound: 0, seconds: new Histogram() };
      this.calls.set(name, counts);
    }
    return counts;
  }
}
