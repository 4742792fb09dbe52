/** Requests of clients about their tasks: to the backend of the task, or to all backends for a list. */
import { BackendError, type BackendFailure } from '../../mcp/backend-error.ts';
import { type Envelope, spliceString } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { requestResult } from '../backends/collect.ts';
import { CLIENT_MS } from '../backends/context.ts';
import { RpcError } from '../backends/rpc-error.ts';
import { createUnknownCursor, readCursor } from '../offers/prepared-list.ts';
import { requireAvailable } from '../routing/targets.ts';
import { toWireError } from '../routing/to-wire-error.ts';
import { isAboutOneTask } from '../tasks/client-task.ts';
import type { SessionTasks, TaskHolder } from '../tasks/session-tasks.ts';
import { listsTasks } from '../tasks/support.ts';
import type { GatewaySession } from './client-session.ts';
import { isAnsweredWhenDone, TaskCall } from './task-call.ts';

/** Maximum number of pages of backends that the gateway reads for one page of its own: a page may contain only tasks of other clients. */
const MAX_PAGES = 100;

/** Answers a request about tasks. Returns false for any other. */
export function handleTaskRequest(session: GatewaySession, envelope: Envelope, answer: ClientResponder): boolean {
  if (!envelope.method.startsWith('tasks/')) return false;
  if (isAboutOneTask(envelope.method)) relayToHolder(session, envelope, answer);
  else if (envelope.method === 'tasks/list') void answerList(session.tasks, envelope, answer);
  else return false;
  return true;
}

function relayToHolder(session: GatewaySession, envelope: Envelope, answer: ClientResponder): void {
  const { id, method, taskId } = envelope;
  if (taskId === undefined) {
    throw new WireError(WIRE_CODE.invalidParams, 'params.taskId is required and must be a string');
  }
  const task = session.tasks.find(taskId.value);
  if (task === undefined || id === undefined) throw new WireError(WIRE_CODE.invalidParams, 'unknown task');
  const { backend, connection } = task;
  requireAvailable(connection);
  const awaitsTask = isAnsweredWhenDone(method);
  if (awaitsTask && !session.mayWait) {
    throw new WireError(WIRE_CODE.internalError, 'too many requests wait for tasks or clients', {
      data: { backend: connection.name, reason: 'busy' satisfies BackendFailure },
    });
  }
  const call = new TaskCall(answer, { id, method, session, backend, connection });
  session.started(call);
  const timeoutMs = awaitsTask ? CLIENT_MS : undefined;
  const text = spliceString(envelope, taskId, task.id);
  session.request(backend, { text, id, method, sender: session.sender, timeoutMs, signal: answer }, call);
}

/** The position in the list: the backend whose page is next, and the page. */
interface TaskCursor {
  readonly name: string;
  readonly cursor?: string | undefined;
}

async function answerList(tasks: SessionTasks, envelope: Envelope, answer: ClientResponder): Promise<void> {
  try {
    const cursor = readCursor(envelope);
    answer.result(JSON.stringify(await readList(tasks, cursor === undefined ? { name: '' } : decodeCursor(cursor))));
  } catch (error) {
    if (error instanceof BackendError) answer.fail(error);
    else if (error instanceof RpcError) answer.error(new WireError(error.code, error.message, { data: error.data }));
    else answer.error(toWireError(error));
  }
}

/** Reads one backend after the other, a page at a time, up to the first page with a task. */
async function readList(tasks: SessionTasks, from: TaskCursor): Promise<object> {
  const holders = tasks.holders.filter(({ connection }) => listsTasks(connection) && connection.monitor.available);
  let cursorOfTask: TaskCursor | undefined = from;
  for (let pages = 0; cursorOfTask !== undefined; pages++) {
    const { name, cursor } = cursorOfTask;
    const index = holders.findIndex(({ connection }) => connection.name >= name);
    const holder = holders[index];
    if (holder === undefined) return { tasks: [] };
    // The backend may have been removed since the last page: then the next backend is read from its beginning.
    const page = await readPage(tasks, holder, holder.connection.name === name ? cursor : undefined);
    const next = holders[index + 1];
    cursorOfTask =
      page.nextCursor !== undefined
        ? { name: holder.connection.name, cursor: page.nextCursor }
        : next === undefined
          ? undefined
          : { name: next.connection.name };
    if (page.tasks.length > 0 || cursorOfTask === undefined || pages >= MAX_PAGES) {
      return { tasks: page.tasks, ...(cursorOfTask === undefined ? {} : { nextCursor: encodeCursor(cursorOfTask) }) };
    }
  }
  return { tasks: [] };
}

async function readPage(
  tasks: SessionTasks,
  holder: TaskHolder,
  cursor: string | undefined,
): Promise<{ tasks: object[]; nextCursor: string | undefined }> {
  const result = await requestResult(holder.backend, 'tasks/list', cursor === undefined ? {} : { cursor });
  const { tasks: items, nextCursor } = (result ?? {}) as { tasks?: unknown; nextCursor?: unknown };
  const own = (Array.isArray(items) ? (items as { taskId?: unknown }[]) : []).flatMap(item => {
    const taskId = typeof item?.taskId === 'string' ? tasks.findId(holder, item.taskId) : undefined;
    return taskId === undefined ? [] : [{ ...item, taskId }];
  });
  return { tasks: own, nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined };
}

function encodeCursor(cursorOfTask: TaskCursor): string {
  return Buffer.from(JSON.stringify(cursorOfTask)).toString('base64url');
}

function decodeCursor(cursor: string): TaskCursor {
  try {
    const { name, cursor: inner } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Partial<TaskCursor>;
    if (typeof name === 'string' && (inner === undefined || typeof inner === 'string')) return { name, cursor: inner };
  } catch {
    // A cursor that cannot be decoded is refused below.
  }
  throw createUnknownCursor();
}
