/** An MCP server whose tool calls, or all requests, fail in a way that the test sets. */
import type { ServerResponse } from 'node:http';
import { type RawRequest, type RawServer, startRawServer } from '../../support/raw-server.ts';

/** `down`: connections break; `hang`: no response; a number: an HTTP status without a body. */
export type Mode = 'well' | 'down' | 'hang' | 'tool-error' | 'rpc-error' | 'rpc-error-503' | number;

export interface BreakingBackend extends RawServer {
  readonly url: string;
  /** The mode for `tools/call`. */
  calls: Mode;
  /** The mode for every other request. */
  rest: Mode;
  /** Number of received tool calls. */
  readonly callCount: number;
  /** Pending requests. */
  readonly underWay: number;
  /** The most concurrent requests since this was set to 0. */
  peak: number;
  /** Answers pending requests in the current mode. */
  answerAll(): void;
  /** Closes the connections of pending requests. */
  breakAll(): void;
}

export async function startBreakingBackend(): Promise<BreakingBackend> {
  const state = { calls: 'well' as Mode, rest: 'well' as Mode, peak: 0 };
  let callCount = 0;
  const underWay = new Map<ServerResponse, RawRequest>();
  const server = await startRawServer((request, response) => {
    const isCall = request.message?.method === 'tools/call';
    if (isCall) callCount++;
    if (request.message?.id !== undefined) {
      underWay.set(response, request);
      state.peak = Math.max(state.peak, underWay.size);
      response.once('close', () => underWay.delete(response));
    }
    answer(modeFor(request), request, response);
  });
  const modeFor = ({ message }: RawRequest) => (message?.method === 'tools/call' ? state.calls : state.rest);
  return Object.defineProperties(server as unknown as BreakingBackend, {
    url: { value: `${server.origin}/mcp` },
    calls: { get: () => state.calls, set: (mode: Mode) => Object.assign(state, { calls: mode }) },
    rest: { get: () => state.rest, set: (mode: Mode) => Object.assign(state, { rest: mode }) },
    peak: { get: () => state.peak, set: (peak: number) => Object.assign(state, { peak }) },
    callCount: { get: () => callCount },
    underWay: { get: () => underWay.size },
    answerAll: {
      value: () => {
        for (const [response, request] of underWay) answer(modeFor(request), request, response);
      },
    },
    breakAll: {
      value: () => {
        for (const response of underWay.keys()) response.destroy();
      },
    },
  });
}

function answer(mode: Mode, { method, message }: RawRequest, response: ServerResponse): void {
  if (mode === 'hang') return;
  if (mode === 'down') {
    response.destroy();
    return;
  }
  if (typeof mode === 'number') {
    response.writeHead(mode).end();
    return;
  }
  if (method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  if (message?.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const status = mode === 'rpc-error-503' ? 503 : 200;
  const isError = mode === 'rpc-error' || mode === 'rpc-error-503';
  const body = isError ? { error: { code: -32603, message: 'no' } } : resultOf(mode, message);
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
}

function resultOf(mode: Mode, message: { readonly method: string }): object {
  switch (message.method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'breaking', version: '1' },
        },
      };
    case 'tools/list':
      return { result: { tools: [{ name: 'x', inputSchema: { type: 'object' } }] } };
    case 'tools/call':
      return { result: { content: [], isError: mode === 'tool-error' } };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'no such method' } };
  }
}
