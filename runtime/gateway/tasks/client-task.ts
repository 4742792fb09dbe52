/** Clients' tasks for backends that sent them questions: their owners, and the members that name them. */

const ABOUT_ONE_TASK: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);

/** Whether a request of this method is about one task of its receiver. */
export function isAboutOneTask(method: string): boolean {
  return ABOUT_ONE_TASK.has(method);
}

/** The task that a request (JSON text) is about. */
export function readTaskId(request: string): string | undefined {
  const { params } = JSON.parse(request) as { params?: { taskId?: unknown } };
  return typeof params?.taskId === 'string' ? params.taskId : undefined;
}

/** The id of the task that a response (JSON text) reports as created. */
export function readCreatedTaskId(response: string): string | undefined {
  const { result } = JSON.parse(response) as { result?: { task?: { taskId?: unknown } } };
  const taskId = result?.task?.taskId;
  return typeof taskId === 'string' ? taskId : undefined;
}
