/**
 * Tasks between stateless clients and stateless backends. Without a session, a task's id for clients contains its backend and its owner.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md
 */

import type { Identity } from '../../auth/identity.ts';
import { type Envelope, spliceString } from '../../mcp/envelope.ts';
import type { ClientResponder, MessageContext } from '../../mcp/handler.ts';
import { findUnknownParamHeaders } from '../../mcp/param-headers.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { ForwardedCall, type ForwardedCallOptions } from '../routing/forwarded-call.ts';
import { requireAvailable } from '../routing/targets.ts';
import { storeAway } from '../routing/to-wire-error.ts';
import { sealId, unsealId } from './owned-id.ts';
import { replaceStrings } from './replace-strings.ts';
import { toClientId } from './session-tasks.ts';
import type { TaskGateway } from './task-gateway.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

type ClientExtensions = { readonly [name: string]: unknown };

/** Whether an available backend can answer with tasks. */
export function offersTasks({ connections }: Pick<TaskGateway, 'connections'>): boolean {
  return [...connections.values()].some(connection => connection.monitor.available && hasTasks(connection));
}

/** Whether this backend may answer a call of this client with a task. */
export function mayBecomeTask(connection: BackendConnection, method: string, caller: StatelessCaller): boolean {
  return method === 'tools/call' && hasTasks(connection) && announces(caller.capabilities);
}

export function isTaskRequest(method: string): boolean {
  return METHODS.has(method);
}

export interface TaskRequest {
  readonly caller: StatelessCaller;
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly context: MessageContext;
  readonly sender: Sender;
}

/**
 * Sends a request about a task to the task's backend.
 * @throws WireError -32021 for a client that has not announced the extension, -32602 for an unknown id
 */
export function relayTaskRequest(
  gateway: TaskGateway,
  { caller, envelope, answer, context, sender }: TaskRequest,
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
  if (connection === undefined || !hasTasks(connection)) throw createUnknownTask();
  const keys = gateway.seals.get('task ids');
  const name = unsealId(keys, connection.name, taskId.value.slice(colon + 1), sender.identity);
  if (name === undefined) throw gateway.seals.isShared ? createUnknownTask() : storeAway();
  requireAvailable(connection);
  const text = spliceString(envelope, taskId, name);
  const unknownHeaders = findUnknownParamHeaders(context.http, undefined);
  const use = connection.takeStateless(sender);
  use.session.request(
    { text, id: envelope.id as string, method, name, unknownHeaders, isStateless: true, sender, signal: answer },
    new ForwardedTask(answer, method, keys[0], { connection, sender, use, inSessions: withoutTasks }),
  );
}

/** Removes everything about tasks from a response except the address of its backend. */
function withoutTasks(answer: ClientResponder): void {
  answer.error(createUnknownTask());
}

function createUnknownTask(): WireError {
  const text =
    'unknown task: no task of this caller has this id, or the id is from before a restart of a gateway that keeps its state in memory';
  return new WireError(WIRE_CODE.invalidParams, text);
}

/** A call whose answer may name a task: the gateway collects the answer, and forwards it with the client's id of the task. */
export class ForwardedTask extends ForwardedCall {
  readonly #connection: BackendConnection;
  readonly #method: string;
  readonly #owner: Identity;
  readonly #sealKey: Buffer;
  readonly #chunks: Uint8Array[] = [];
  #httpStatus: number | undefined;

  /** @param sealKey the key that seals ids for their owner */
  constructor(answer: ClientResponder, method: string, sealKey: Buffer, options: ForwardedCallOptions) {
    super(answer, options);
    this.#connection = options.connection;
    this.#method = method;
    this.#sealKey = sealKey;
    this.#owner = options.sender.identity;
  }

  override start(_length: number | undefined, httpStatus?: number): void {
    this.#httpStatus = httpStatus;
  }

  override data(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  override end(): void {
    const answer = this.#translateIds(Buffer.concat(this.#chunks));
    super.start(answer.length, this.#httpStatus);
    super.data(answer);
    super.end();
  }

  #sealIdFor(id: string): string {
    return toClientId(this.#connection, sealId(this.#sealKey, this.#connection.name, id, this.#owner));
  }

  #translateIds(json: Buffer): Buffer {
    if (!json.includes('taskId')) return json;
    const text = json.toString('utf8');
    try {
      // A tool's structured result may use this name for data of its own.
      if (this.#method === 'tools/call' && readResultType(text) !== 'task') return json;
      return Buffer.from(replaceStrings(text, [['result', 'taskId']], id => this.#sealIdFor(id)));
    } catch {
      return json; // The text is not JSON: as for any other call, the client gets it unchanged.
    }
  }
}

function readResultType(answer: string): string | undefined {
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

function announces({ extensions }: ClientExtensions): boolean {
  return typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, TASKS_EXTENSION);
}
