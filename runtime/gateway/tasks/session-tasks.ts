/**
 * The tasks of one client session. A task belongs to its session with the backend, and the client gets an id of the gateway's, because two
 * backends may use the same one. The gateway refuses ids from outside this session, even if a backend shares its tasks.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
import type { BackendSession } from '../backends/backend.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { type MemberPath, replaceStrings } from './replace-strings.ts';

/** Maximum number of remembered tasks in one session: of backends, and of the client; the oldest are forgotten. */
const MAX_TASKS = 1_000;

/** Maximum length of a remembered task id, in characters; a task with a longer id counts as unknown. */
const MAX_TASK_ID_LENGTH = 1_024;

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export const TASK_STATUS = 'notifications/tasks/status';

const IN_PARAMS: readonly MemberPath[] = [['params', '_meta', RELATED_TASK, 'taskId']];
const IN_STATUS: readonly MemberPath[] = [['params', 'taskId'], ...IN_PARAMS];
const IN_RESULT: MemberPath = ['result', '_meta', RELATED_TASK, 'taskId'];

/** For each method, further members of its result that name a task. */
const IN_RESULT_OF: ReadonlyMap<string, MemberPath> = new Map([
  ['tools/call', ['result', 'task', 'taskId']],
  ['tasks/get', ['result', 'taskId']],
  ['tasks/cancel', ['result', 'taskId']],
]);

/** Whether a request of a backend (JSON text) belongs to a task. */
export function namesTask(json: string): boolean {
  return json.includes('related-task');
}

/** A client's session with one backend. */
export interface TaskHolder {
  readonly backend: BackendSession;
  readonly connection: BackendConnection;
}

export interface Task extends TaskHolder {
  /** The task's id at its backend. */
  readonly id: string;
}

export class SessionTasks {
  /** Tasks at backends, by the client's ids. */
  readonly #tasks = new Map<string, Task>();
  /** The backends of the client's own tasks, by the client's ids. */
  readonly #clientTasks = new Map<string, BackendSession>();
  /** Backends to which this session sent requests for tasks. */
  readonly #holders = new Map<BackendSession, BackendConnection>();

  readonly #onMade: (backend: string, id: string) => void;

  /** @param onMade called for each task that a backend creates, with the backend's own id */
  constructor(onMade: (backend: string, id: string) => void = () => {}) {
    this.#onMade = onMade;
  }

  /** Called before a backend gets a request for a task: from now on its messages may concern one. */
  expect({ backend, connection }: TaskHolder): void {
    this.#holders.set(backend, connection);
  }

  /** Finds a task by the client's id of it. */
  find(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  /** Records a task that another replica has created, in the same session with the backend. */
  made(holder: TaskHolder, id: string): void {
    this.expect(holder);
    remember(this.#tasks, toClientId(holder.connection, id), { ...holder, id });
  }

  /** The backends with tasks of this client, by name. */
  get holders(): readonly TaskHolder[] {
    const backendSessions = new Set([...this.#tasks.values()].map(({ backend }) => backend));
    return [...this.#holders]
      .filter(([backend]) => backendSessions.has(backend))
      .map(([backend, connection]) => ({ backend, connection }))
      .sort((a, b) => (a.connection.name < b.connection.name ? -1 : 1));
  }

  /** The client's id of this backend's task; undefined when the task is not of this session. */
  findId({ backend, connection }: TaskHolder, id: string): string | undefined {
    const ours = toClientId(connection, id);
    return this.#tasks.get(ours)?.backend === backend ? ours : undefined;
  }

  /** The backend for which the client works on this task. */
  findOwner(clientTaskId: string): BackendSession | undefined {
    return this.#clientTasks.get(clientTaskId);
  }

  /** Records that the client has created a task for a backend's question. */
  clientMade(id: string, backend: BackendSession): void {
    // Only the first task with an id counts. Clients choose these ids: a duplicate must not give one backend's task to another backend.
    if (!this.#clientTasks.has(id)) remember(this.#clientTasks, id, backend);
  }

  /** Called when the session with a backend has ended, and with it the backend's tasks. */
  forget(backend: BackendSession): void {
    this.#holders.delete(backend);
    for (const [id, task] of this.#tasks) if (task.backend === backend) this.#tasks.delete(id);
    for (const [id, owner] of this.#clientTasks) if (owner === backend) this.#clientTasks.delete(id);
  }

  /** A backend's answer with the client's ids. It records new tasks. */
  answerToClient(text: string, method: string, holder: TaskHolder): string {
    const memberPath = IN_RESULT_OF.get(method);
    if (memberPath === undefined) return replaceStrings(text, [IN_RESULT], id => this.#findNamed(holder.backend, id));
    // The task that the result itself names comes first, because it may be the one that makes the id known.
    const named = replaceStrings(text, [memberPath], id => {
      const ours = toClientId(holder.connection, id);
      if (method === 'tools/call') {
        remember(this.#tasks, ours, { ...holder, id });
        this.#onMade(holder.connection.name, id);
      }
      return ours;
    });
    return replaceStrings(named, [IN_RESULT], id => this.#findNamed(holder.backend, id));
  }

  /** A backend's request or notification (valid JSON text) with the client's ids; undefined when it does not concern this client. */
  messageToClient(text: string, method: string, backend: BackendSession): string | undefined {
    const connection = this.#holders.get(backend);
    if (connection === undefined) return text;
    if (method !== TASK_STATUS) {
      if (!text.includes('taskId') && !text.includes('\\u')) return text;
      return replaceStrings(text, IN_PARAMS, id => this.#findNamed(backend, id));
    }
    let isKnown = false;
    const named = replaceStrings(text, IN_STATUS, id => {
      const ours = this.findId({ backend, connection }, id);
      isKnown ||= ours !== undefined;
      return ours;
    });
    return isKnown ? named : undefined;
  }

  /** A client's message with the ids of its backend. */
  messageToBackend(text: string, backend: BackendSession): string {
    if (!text.includes('taskId')) return text;
    return replaceStrings(text, [IN_RESULT, ...IN_PARAMS], id => {
      const task = this.#tasks.get(id);
      return task?.backend === backend ? task.id : undefined;
    });
  }

  /** The client's id of a related task; a task of the client itself keeps its id. */
  #findNamed(backend: BackendSession, id: string): string | undefined {
    const connection = this.#holders.get(backend);
    return connection === undefined || this.#clientTasks.get(id) === backend ? undefined : toClientId(connection, id);
  }
}

/** A task's id for clients. Names of backends contain no colon, so two tasks never get the same id. */
export function toClientId({ name }: BackendConnection, id: string): string {
  return `${name}:${id}`;
}

function remember<T>(map: Map<string, T>, id: string, value: T): void {
  if (id.length > MAX_TASK_ID_LENGTH) return;
  map.set(id, value);
  if (map.size <= MAX_TASKS) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
