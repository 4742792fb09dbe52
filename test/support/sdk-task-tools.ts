/** Tools of an SDK server (v1) that run as tasks, in the revision 2025-11-25. */
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import type { Server, ServerOptions } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CreateMessageResultSchema,
  CreateTaskResultSchema,
  ElicitResultSchema,
  GetTaskResultSchema,
  ListTasksResultSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * `work` returns its arguments, after as many progress notifications as `arguments.steps`; `ask` elicits `arguments.message` within its task;
 * `wait` runs until it is cancelled; `delegate` has the client sample as a task of the client's, and returns the outcome.
 */
export const TASK_TOOLS: readonly { readonly name: string; readonly execution: object }[] = [
  'work',
  'ask',
  'wait',
  'delegate',
].map(name => ({ name, execution: { taskSupport: name === 'delegate' ? 'optional' : 'required' } }));

export const TASK_CAPABILITY = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** Makes an SDK server support tasks; all servers made with the same options share them. */
export function taskOptions(): Pick<ServerOptions, 'taskStore' | 'taskMessageQueue'> {
  return { taskStore: new InMemoryTaskStore(), taskMessageQueue: new InMemoryTaskMessageQueue() };
}

/** Creates a task for a call, and runs the tool after the response. */
export async function startTask(server: Server, { params }: CallToolRequest, extra: Extra): Promise<object> {
  const { taskStore } = extra;
  if (taskStore === undefined) throw new Error('the server keeps no tasks');
  const task = await taskStore.createTask({ ttl: extra.taskRequestedTtl ?? 60_000, pollInterval: 20 });
  setImmediate(() => {
    run(server, params, extra, task.taskId).then(
      async text => {
        if (text === undefined) return;
        await taskStore.storeTaskResult(task.taskId, 'completed', { content: [{ type: 'text', text }] });
      },
      error =>
        taskStore.storeTaskResult(task.taskId, 'failed', {
          isError: true,
          content: [{ type: 'text', text: `${error}` }],
        }),
    );
  });
  return { task };
}

async function run(
  server: Server,
  params: CallToolRequest['params'],
  extra: Extra,
  taskId: string,
): Promise<string | undefined> {
  const { taskStore } = extra;
  const relatedTask = { taskId };
  if (params.name === 'ask') {
    const elicitation = {
      mode: 'form' as const,
      message: String(params.arguments?.message),
      requestedSchema: { type: 'object' as const, properties: {} },
    };
    await taskStore?.updateTaskStatus(taskId, 'input_required');
    const answer = await server.request({ method: 'elicitation/create', params: elicitation }, ElicitResultSchema, {
      relatedTask,
    });
    await taskStore?.updateTaskStatus(taskId, 'working');
    return JSON.stringify(answer);
  }
  if (params.name === 'wait') return undefined;
  const progressToken = params._meta?.progressToken;
  for (let progress = 1; progressToken !== undefined && progress <= Number(params.arguments?.steps ?? 0); progress++) {
    await server.notification({
      method: 'notifications/progress',
      params: { progressToken, progress, _meta: { 'io.modelcontextprotocol/related-task': relatedTask } },
    });
  }
  return JSON.stringify(params.arguments ?? {});
}

/** Has the client sample as a task: polls it, reads its result, and tries operations that no backend may use. */
export async function delegate(extra: Extra): Promise<object> {
  const content = { type: 'text' as const, text: 'Capital of France?' };
  const sampling = { messages: [{ role: 'user' as const, content }], maxTokens: 10 };
  const { task } = await extra.sendRequest(
    { method: 'sampling/createMessage', params: sampling },
    CreateTaskResultSchema,
    { task: { ttl: 60_000 } },
  );
  const { taskId } = task;
  const state = await extra.sendRequest({ method: 'tasks/get', params: { taskId } }, GetTaskResultSchema);
  const result = await extra.sendRequest({ method: 'tasks/result', params: { taskId } }, CreateMessageResultSchema);
  const refusal = (asked: Promise<unknown>) =>
    asked.then(
      () => 'answered',
      error => (error as { code: number }).code,
    );
  const list = await refusal(extra.sendRequest({ method: 'tasks/list' }, ListTasksResultSchema));
  const foreign = await refusal(
    extra.sendRequest({ method: 'tasks/get', params: { taskId: 'of another' } }, GetTaskResultSchema),
  );
  return { taskId, status: state.status, result, list, foreign };
}
