/** Backends whose stateless clients come back, and a client that sends each request over a new connection. */
import { type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { oneConnection } from '../workers/worker-tree.ts';

const REVISION = '2026-07-28';
const TASKS = 'io.modelcontextprotocol/tasks';

const CAPABILITIES = { elicitation: {}, extensions: { [TASKS]: {} } };

export interface Answered {
  readonly status: number;
  /** The whole body. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason?: string } };
}

export type Ask = (
  url: string,
  method: string,
  params: { readonly [name: string]: unknown },
  more?: { readonly signal?: AbortSignal; readonly meta?: object },
) => Promise<Answered>;

/** @param token of the caller; undefined for an unauthenticated one */
export function stateless(token?: string): Ask {
  return async (url, method, params, { signal, meta } = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
      ...meta,
    };
    const answer = await oneConnection(url, {
      method: 'POST',
      headers: {
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': REVISION,
        'Mcp-Method': method,
        'Mcp-Name': String(params.name ?? params.taskId),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'r1', method, params: { ...params, _meta } }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    const json = text.startsWith('{') ? text : (text.split(/^data: (?=\{)/m).at(-1) ?? '');
    return { status: answer.status, text, ...(JSON.parse(json) as object) };
  };
}

export interface Peer extends AsyncDisposable {
  readonly url: string;
  readonly server: RawServer;
}

/** A stateless backend whose tool `make` answers with a task. `tasks/get` returns how often the task was updated. */
export async function startTasksBackend(): Promise<Peer> {
  const tasks = new Map<string, { status: string; updates: number }>();
  const server = await startRawServer(({ method: verb, message }, response) => {
    if (verb !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = message;
    const answer = (members: object) => sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...members }));
    const result = (members: object, resultType = 'complete') => answer({ result: { resultType, ...members } });
    const task = tasks.get(params?.taskId);
    if (method === 'server/discover')
      result({ supportedVersions: [REVISION], capabilities: { tools: {}, extensions: { [TASKS]: {} } } });
    else if (method === 'tools/list')
      result({ tools: [{ name: 'make', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' });
    else if (method === 'tools/call') {
      const taskId = `task-${tasks.size + 1}`;
      tasks.set(taskId, { status: 'working', updates: 0 });
      result({ taskId, status: 'working' }, 'task');
    } else if (task === undefined) answer({ error: { code: -32602, message: 'no such task' } });
    else if (method === 'tasks/get') {
      const done = task.updates > 0 ? { result: { content: [{ type: 'text', text: `${task.updates}` }] } } : {};
      result({ taskId: params.taskId, status: task.status, ...done });
    } else {
      task.status = method === 'tasks/update' ? 'completed' : 'cancelled';
      task.updates += Number(method === 'tasks/update');
      result({});
    }
  });
  return { url: `${server.origin}/mcp`, server, [Symbol.asyncDispose]: () => server.close() };
}

export interface AskingBackend extends Peer {
  /** Received answers to elicitations, as JSON text. */
  readonly answers: readonly string[];
  /** Sessions that were ended, with their calls. */
  readonly endedSessions: number;
  /** Calls that wait for `release`. */
  readonly waiting: number;
  /** Ends calls of `wait` that have their answer. */
  release(): void;
}

/**
 * A session backend whose tools elicit first: `ask` responds with the answer, `ask_twice` elicits again, `large` responds with `length`
 * characters after some progress, `wait` ends when the test decides.
 */
export async function startAskingBackend(): Promise<AskingBackend> {
  const answers: string[] = [];
  const asked = new Map<string, (answer: unknown) => void>();
  let released: (() => void)[] = [];
  let ended = 0;
  let sessions = 0;
  const server = await startRawServer(async ({ method: verb, message }, response) => {
    if (verb === 'DELETE') {
      ended++;
      return void response.writeHead(204).end();
    }
    if (verb !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = message;
    if (id === undefined || method === undefined) {
      if (method === undefined) {
        answers.push(JSON.stringify(message.result ?? message.error));
        asked.get(message.id)?.(message.result);
      }
      return void response.writeHead(202).end();
    }
    if (method === 'initialize') {
      response.setHeader('Mcp-Session-Id', `session-${++sessions}`);
      const serverInfo = { name: 'asking', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
      return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    if (method === 'tools/list') {
      const tools = ['ask', 'ask_twice', 'large', 'wait'].map(name => ({ name, inputSchema: { type: 'object' } }));
      return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
    }
    if (method !== 'tools/call') {
      const outcome = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Method not found' } };
      return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const say = (said: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`);
    const ask = (name: string) => {
      const question = `${name}-${asked.size}`;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      asked.set(question, resolve);
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      say({ id: question, method: 'elicitation/create', params: { message: name, requestedSchema } });
      return promise;
    };
    const told = [await ask('first')];
    if (params.name === 'ask_twice') told.push(await ask('second'));
    const progressToken = params._meta?.progressToken;
    if (progressToken !== undefined)
      say({ method: 'notifications/progress', params: { progressToken, progress: 1, message: 'half' } });
    if (params.name === 'wait') await new Promise<void>(resolve => released.push(resolve));
    const text = params.name === 'large' ? 'ä'.repeat(params.arguments.length) : JSON.stringify(told);
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n\n`);
  });
  return {
    url: `${server.origin}/mcp`,
    server,
    answers,
    get endedSessions() {
      return ended;
    },
    get waiting() {
      return released.length;
    },
    release: () => {
      for (const end of released) end();
      released = [];
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The client's next attempt after `input_required`, with the same answer to each request. */
export function answersTo({ result }: Answered, content: object): { readonly [name: string]: unknown } {
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: object };
  const answer = { action: 'accept', content };
  return {
    requestState,
    inputResponses: Object.fromEntries(Object.keys(inputRequests).map(key => [key, answer])),
  };
}
