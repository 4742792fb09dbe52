/** The closed set of condition reasons of a GatewaySource. */
export type Reason =
  | 'Succeeded'
  | 'Progressing'
  | 'ProgressingWithRetry'
  | 'FetchFailed'
  | 'AuthenticationFailed'
  | 'SignatureInvalid'
  | 'CompilationFailed'
  | 'RenderRequired'
  | 'PolicyDenied'
  | 'ApprovalRequired'
  | 'DependencyNotReady'
  | 'DryRunFailed'
  | 'FieldConflict'
  | 'BundleRejected'
  | 'HealthCheckFailed'
  | 'PruneBlocked'
  | 'DriftReported'
  | 'DefinitionsOutdated'
  | 'Suspended';

/**
 * What to do next about a failure. `stalled`: nothing until an input changes, since the same inputs fail the same way. `retry`: again,
 * later each time.
 */
export type Next = 'stalled' | 'retry';

/** A step that could not be done. The message is for people, complete, and free of secrets. */
export class ReconcileError extends Error {
  readonly reason: Reason;
  readonly next: Next;

  constructor(reason: Reason, next: Next, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.next = next;
  }
}
