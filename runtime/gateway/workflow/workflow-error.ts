/** Why a step or a workflow failed: a sentence for the client, which is sent as it is. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
