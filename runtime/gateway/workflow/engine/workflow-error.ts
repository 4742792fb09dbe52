/**
 * The class of a failure: all that clients get to know of its cause, since texts can hold what templates rendered or backends
 * wrote. A host may give others for its own calls and questions.
 */
export type FailureReason =
  /** The tool answered that it failed. */
  | 'tool_error'
  | 'call_failed'
  | 'timeout'
  /** A template cannot be rendered, or renders what is not asked for. */
  | 'template'
  /** The collection of a repeated step is no list, or has too many items. */
  | 'collection'
  /** The output of the workflow cannot be built. */
  | 'output'
  | 'declined'
  | 'dismissed'
  /** The client cannot be asked. */
  | 'cannot_ask'
  /** The run was called off. */
  | 'stopped'
  | (string & {});

/** Why a step or a workflow failed: the message is for operators and templates, the reason for clients as well. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly reason: FailureReason;

  constructor(message: string, reason: FailureReason) {
    super(message);
    this.reason = reason;
  }
}

/** A property of the output that cannot be built. Its name is the spec's, so clients may know it. */
export class OutputError extends WorkflowError {
  /** With those it is nested in: `report.url`. */
  readonly property: string;

  constructor(message: string, property: string) {
    super(message, 'output');
    this.property = property;
  }
}

/** The message of an error, or of another value that was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function toFailureReason(error: unknown): FailureReason {
  return error instanceof WorkflowError ? error.reason : 'call_failed';
}
