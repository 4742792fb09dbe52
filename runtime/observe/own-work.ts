/** The gateway's own work in traces; the implementation is loaded when a bundle configures tracing. */

/** Work that has begun. */
export interface OwnWork {
  /** Begins a part of the work. */
  part(name: AggregatorWork): OwnWork;
  /**
   * Only the first call has an effect.
   * @param errorType empty after a success
   */
  end(errorType?: string): void;
}

/** The parts of aggregation: reading the backends' items, and merging them into one set of lists. */
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
