/** Traces work that the gateway does without a client's request. The implementation is loaded only if a bundle configures tracing. */

/** A span of work that has begun. */
export interface OwnWork {
  /** Begins a part of the work. */
  part(name: AggregatorWork): OwnWork;
  /**
   * Only the first call has an effect.
   * @param errorType empty after a success
   */
  end(errorType?: string): void;
}

/** The parts of the work for aggregation: reading the items of backends, and merging them into the gateway's lists. */
export type AggregatorWork =
  | 'aggregator.QueryCapabilities'
  | 'aggregator.QueryAllCapabilities'
  | 'aggregator.AggregateCapabilities'
  | 'aggregator.ResolveConflicts'
  | 'aggregator.MergeCapabilities';

export interface WorkTracing {
  /** Undefined for work that is not recorded. */
  begin(name: AggregatorWork, attributes: { readonly [name: string]: string | number | boolean }): OwnWork | undefined;
}
