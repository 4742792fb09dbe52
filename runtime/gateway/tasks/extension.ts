/**
 * Tasks between stateless clients and stateless backends. Nobody keeps a session there, so a task's id for clients says whose
 * it is, and holds whoever knows it: whether that one may have the task is the backend's business, as without a gateway.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md
 */
import { type Envelope, spliceString } from '../../mcp/envelope.ts';
import type { ClientAnswer } from '../../mcp/handler.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { BackendConnection } from '../connection.ts';
import type { Gateway } from '../gateway.ts';
import { PassedCall } from '../stateless/passed-call.ts';
import { requireAvailable } from '../targets.ts';
import { replaceStrings } from './replace-strings.ts';
import { ourId } from './session-tasks.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

type Announced = { readonly [name: string]: unknown };

/** Whether some backend that is there can answer with tasks. */
export function offersTasks(gateway: Gateway): boolean {
  return [...gateway.connections.values()].some(connection => connection.monitor.available && hasTasks(connection));
}

/** Whether a call of this client to this backend may be answered with a task. */
export function mayBecomeTask(connection: BackendConnection, method: string, caller: StatelessCaller): boolean {
  return method === 'tools/call' && hasTasks(connection) && announces(caller.capabilities);
}

export function isTaskRequest(method: string): boolean {
  return METHODS.has(method);
}

/**
 * Sends a request about a task to the backend that has it.
 *
 * @throws WireError -32021 for a client that has not announced the extension, -32602 for an id that leads nowhere
 */
export function relayTaskRequest(
  gateway: Gateway,
  { caller, envelope, answer }: { caller: StatelessCaller; envelope: Envelope; answer: ClientAnswer },
): void {
  if (!announces(caller.capabilities)) {
    throw new WireError(WIRE_CODE.missingClientCapability, `the client has not announced ${TASKS_EXTENSION}`, {
      data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    });
  }
  const { taskId, method } = envelope;
  if (taskId === undefined) {
    throw new WireError(WIRE_CODE.invalidParams, 'params.taskId is required and must be a string');
  }
  const colon = taskId.value.indexOf(':');
  const connection = gateway.connections.get(taskId.value.slice(0, Math.max(colon, 0)));
  if (connection === undefined || !hasTasks(connection)) throw new WireError(WIRE_CODE.invalidParams, 'unknown task');
  requireAvailable(connection);
  const name = taskId.value.slice(colon + 1);
  const text = spliceString(envelope, taskId, name);
  connection.statelessSession.request(
    { text, id: envelope.id as string, method, name, isStateless: true, signal: answer },
    new PassedTask(answer, connection, method),
  );
}

/** A call whose answer may name a task: it is gathered, and goes on with the id that clients know. */
export class PassedTask extends PassedCall {
  readonly #connection: BackendConnection;
  readonly #method: string;
  readonly #chunks: Uint8Array[] = [];
  #httpStatus: number | undefined;

  constructor(answer: ClientAnswer, connection: BackendConnection, method: string) {
    super(answer, connection.monitor);
    this.#connection = connection;
    this.#method = method;
  }

  override start(_length: number | undefined, httpStatus?: number): void {
    this.#httpStatus = httpStatus;
  }

  override data(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  override end(): void {
    const answer = this.#translated(Buffer.concat(this.#chunks));
    super.start(answer.length, this.#httpStatus);
    super.data(answer);
    super.end();
  }

  #translated(json: Buffer): Buffer {
    if (!json.includes('taskId')) return json;
    const text = json.toString('utf8');
    try {
      // A tool may call something of its own so.
      if (this.#method === 'tools/call' && resultTypeOf(text) !== 'task') return json;
      return Buffer.from(replaceStrings(text, [['result', 'taskId']], id => ourId(this.#connection, id)));
    } catch {
      return json; // Not JSON: as with any other call it is the client that finds out.
    }
  }
}

function resultTypeOf(answer: string): string | undefined {
  let resultType: string | undefined;
  replaceStrings(answer, [['result', 'resultType']], value => {
    resultType = value;
    return undefined;
  });
  return resultType;
}

function hasTasks({ isStateless, monitor }: BackendConnection): boolean {
  return isStateless && announces(monitor.announced);
}

function announces({ extensions }: Announced): boolean {
  return typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, TASKS_EXTENSION);
}
