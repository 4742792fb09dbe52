/**
 * The class of a failure. Clients learn nothing else of the cause, since texts can contain rendered templates or backends' texts. A host may use
 * other classes for its own calls and questions.
 */
export type FailureReason =
  /** The tool reported a failure. */
  | 'tool_error'
  | 'call_failed'
  | 'timeout'
  /** A template cannot be rendered, or gives a wrong type. */
  | 'template'
  /** The collection of a repeated step is not a list, or has too many items. */
  | 'collection'
  /** The output of the workflow has no valid value. */
  | 'output'
  | 'declined'
  | 'dismissed'
  /** The client does not support questions. */
  | 'cannot_ask'
  /** The run was cancelled. */
  | 'stopped'
  | (string & {});

/** Why a step or a workflow failed: the message is for operators and templates, the reason also for clients. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly reason: FailureReason;

  constructor(message: string, reason: FailureReason) {
    super(message);
    this.reason = reason;
  }
}

/** A property of the output without a valid value. The spec contains its name, so clients may know it. */
export class OutputError extends WorkflowError {
  /** The name of the property with the names of the properties around it: `report.url`. */
  readonly property: string;

  constructor(message: string, property: string) {
    super(message, 'output');
    this.property = property;
  }
}

/** The message of an error, or of another thrown value. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function toFailureReason(error: unknown): FailureReason {
  return error instanceof WorkflowError ? error.reason : 'call_failed';
}
