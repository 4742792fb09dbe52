/**
 * The tasks of one client session. A task belongs to the session with the backend in which it was made, and the client knows
 * it by an id of ours, because two backends may use the same one. Ids that were not given in this session lead nowhere, however
 * freely a backend shares its tasks.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
import type { BackendSession } from '../backends/backend.ts';
import type { BackendConnection } from '../connection.ts';
import { type Path, replaceStrings } from './replace-strings.ts';

/** Tasks of either side that are remembered in one session; the oldest are forgotten. */
const MAX_TASKS = 1_000;

/** Characters of an id of a task; one that is longer is not remembered, so that its task is unknown. */
const MAX_TASK_ID_LENGTH = 1_024;

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export const TASK_STATUS = 'notifications/tasks/status';

const IN_PARAMS: readonly Path[] = [['params', '_meta', RELATED_TASK, 'taskId']];
const IN_STATUS: readonly Path[] = [['params', 'taskId'], ...IN_PARAMS];
const IN_RESULT: Path = ['result', '_meta', RELATED_TASK, 'taskId'];

/** Where else the result of a method names a task. */
const IN_RESULT_OF: ReadonlyMap<string, Path> = new Map([
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
  /** The backend's own id. */
  readonly id: string;
}

export class SessionTasks {
  /** Tasks at backends, by the id that the client knows. */
  readonly #tasks = new Map<string, Task>();
  /** The backends for which the client works on tasks, by the client's ids. */
  readonly #clientTasks = new Map<string, BackendSession>();
  /** Backends that were asked for tasks in this session. */
  readonly #holders = new Map<BackendSession, BackendConnection>();

  readonly #onMade: (backend: string, id: string) => void;

  /** @param onMade called for each task that a backend makes, with the backend's own id */
  constructor(onMade: (backend: string, id: string) => void = () => {}) {
    this.#onMade = onMade;
  }

  /** A backend is about to be asked for a task: from now on its messages may be about one. */
  expect({ backend, connection }: TaskHolder): void {
    this.#holders.set(backend, connection);
  }

  /** The task that the client knows by this id. */
  find(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  /** A task that was made at another replica, in the same session with the backend. */
  made(holder: TaskHolder, id: string): void {
    this.expect(holder);
    remember(this.#tasks, ourId(holder.connection, id), { ...holder, id });
  }

  /** The backends that have tasks of this client, by name. */
  get holders(): readonly TaskHolder[] {
    const held = new Set([...this.#tasks.values()].map(({ backend }) => backend));
    return [...this.#holders]
      .filter(([backend]) => held.has(backend))
      .map(([backend, connection]) => ({ backend, connection }))
      .sort((a, b) => (a.connection.name < b.connection.name ? -1 : 1));
  }

  /** The client's id for a task of this backend; undefined when it was not made in this session. */
  findId({ backend, connection }: TaskHolder, id: string): string | undefined {
    const ours = ourId(connection, id);
    return this.#tasks.get(ours)?.backend === backend ? ours : undefined;
  }

  /** The backend for which the client works on this task of its. */
  findOwner(clientTaskId: string): BackendSession | undefined {
    return this.#clientTasks.get(clientTaskId);
  }

  /** The client has made a task of a backend's question. */
  clientMade(id: string, backend: BackendSession): void {
    // Ids are the client's own: one that it gives twice must not hand the task of one backend to another.
    if (!this.#clientTasks.has(id)) remember(this.#clientTasks, id, backend);
  }

  /** The session with a backend has ended, and its tasks with it. */
  forget(backend: BackendSession): void {
    this.#holders.delete(backend);
    for (const [id, task] of this.#tasks) if (task.backend === backend) this.#tasks.delete(id);
    for (const [id, owner] of this.#clientTasks) if (owner === backend) this.#clientTasks.delete(id);
  }

  /** A backend's answer in the client's words. A task that it tells of for the first time is noted. */
  answerToClient(text: string, method: string, holder: TaskHolder): string {
    const place = IN_RESULT_OF.get(method);
    if (place === undefined) return replaceStrings(text, [IN_RESULT], id => this.#named(holder.backend, id));
    // The place that is the result's own comes first: it may be what makes the task known.
    const named = replaceStrings(text, [place], id => {
      const ours = ourId(holder.connection, id);
      if (method === 'tools/call') {
        remember(this.#tasks, ours, { ...holder, id });
        this.#onMade(holder.connection.name, id);
      }
      return ours;
    });
    return replaceStrings(named, [IN_RESULT], id => this.#named(holder.backend, id));
  }

  /** A backend's request or notification (sound JSON text) in the client's words; undefined for what is not this client's business. */
  messageToClient(text: string, method: string, backend: BackendSession): string | undefined {
    const connection = this.#holders.get(backend);
    if (connection === undefined) return text;
    if (method !== TASK_STATUS) {
      if (!text.includes('taskId') && !text.includes('\\u')) return text;
      return replaceStrings(text, IN_PARAMS, id => this.#named(backend, id));
    }
    let isKnown = false;
    const named = replaceStrings(text, IN_STATUS, id => {
      const ours = this.findId({ backend, connection }, id);
      isKnown ||= ours !== undefined;
      return ours;
    });
    return isKnown ? named : undefined;
  }

  /** A message of the client in the words of the backend that it goes to. */
  messageToBackend(text: string, backend: BackendSession): string {
    if (!text.includes('taskId')) return text;
    return replaceStrings(text, [IN_RESULT, ...IN_PARAMS], id => {
      const task = this.#tasks.get(id);
      return task?.backend === backend ? task.id : undefined;
    });
  }

  /** What a related task is called towards the client: one that the client itself works on keeps its id. */
  #named(backend: BackendSession, id: string): string | undefined {
    const connection = this.#holders.get(backend);
    return connection === undefined || this.#clientTasks.get(id) === backend ? undefined : ourId(connection, id);
  }
}

/** A task's id for clients. Names of backends hold no colon, so that no two tasks get the same one. */
export function ourId({ name }: BackendConnection, id: string): string {
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
