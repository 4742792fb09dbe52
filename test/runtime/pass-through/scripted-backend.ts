/** A backend that sends, over any transport, exactly the text that a test sets. */
import type { ServerResponse } from 'node:http';
import type { BackendPlan } from '#schemas';
import { backendPlan } from '../../support/gateway.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawRequest,
  type RawServer,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';

export type Wire = 'json' | 'events' | 'sse' | 'http-error';

/** A received request, and how to send messages to its client. */
export interface ScriptedCall {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly message: any;
  /** Sends a message of the backend before the response, which is impossible if responses are plain JSON. */
  say(json: string): void;
  /** Responds: `outcome` is the member `result` or `error`, as JSON text. */
  answer(outcome: string): void;
}

export interface ScriptedBackend {
  readonly plan: BackendPlan;
  /** All requests that the backend has received. */
  readonly received: readonly RawRequest[];
  waitFor: RawServer['waitFor'];
  close(): Promise<void>;
}

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {} };

/** Serves one backend. `script` answers everything after the handshake. */
export async function startScripted(
  name: string,
  wire: Wire,
  script: (call: ScriptedCall) => void,
  capabilities: object = CAPABILITIES,
): Promise<ScriptedBackend> {
  const streams = new Map<string, ServerResponse>();
  const server = await startRawServer((request, response) => {
    const { message, method, path } = request;
    if (method === 'GET' && wire === 'sse') {
      const key = `/messages?stream=${streams.size}`;
      streams.set(key, response);
      openEvents(response);
      response.write(eventText(key, 'endpoint'));
      return;
    }
    if (method === 'GET') response.writeHead(405).end();
    else if (method === 'DELETE') response.writeHead(204).end();
    else if (message?.id === undefined || message.method === undefined) response.writeHead(202).end();
    else {
      const call = callOf(wire, message, response, streams.get(path));
      if (message.method === 'initialize') {
        call.answer(`"result":${JSON.stringify({ ...IDENTITY, capabilities })}`);
      } else if (message.method === 'server/discover') {
        // Only the stateless revision has this method, so the gateway recognizes a session backend by its error.
        call.answer('"error":{"code":-32601,"message":"Method not found"}');
      } else script(call);
    }
  });
  const url = `${server.origin}/${wire === 'sse' ? 'sse' : 'mcp'}`;
  return {
    plan: backendPlan(name, url, wire === 'sse' ? { transport: 'sse' } : {}),
    received: server.requests,
    waitFor: fits => server.waitFor(fits),
    close: () => server.close(),
  };
}

function callOf(
  wire: Wire,
  message: ScriptedCall['message'],
  response: ServerResponse,
  shared: ServerResponse | undefined,
): ScriptedCall {
  const answerText = (outcome: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${outcome}}`;
  if (shared !== undefined) {
    response.writeHead(202).end();
    const say = (json: string) => void shared.write(eventText(json));
    return { message, say, answer: outcome => say(answerText(outcome)) };
  }
  if (wire === 'events') {
    openEvents(response);
    const say = (json: string) => void response.write(eventText(json));
    return { message, say, answer: outcome => void response.end(eventText(answerText(outcome))) };
  }
  return {
    message,
    say: () => {
      throw new Error('a JSON answer has nothing before it');
    },
    answer: outcome => {
      const isError = wire === 'http-error' && outcome.startsWith('"error"');
      sendJson(response, answerText(outcome), {}, isError ? 422 : 200);
    },
  };
}

/** The response to any list request: the items in `lists`, or none. */
export function answerList({ message, answer }: ScriptedCall, lists: { readonly [method: string]: string }): boolean {
  const member = { 'resources/templates/list': 'resourceTemplates' }[message.method as string];
  const kind = member ?? /^(\w+)\/list$/.exec(message.method)?.[1];
  if (kind === undefined) return false;
  answer(`"result":{"${kind}":[${lists[message.method] ?? ''}]}`);
  return true;
}
