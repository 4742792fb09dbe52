/** With which HTTP status a client gets a backend's error, by the era of both, and by the messages before the response. */
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawHandler, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { ask } from '../stateless-edge/requests.ts';

const FAILED = { error: { code: -32603, data: { backend: 'b', reason: 'connection_failed' } } };

const TOOL = { name: 'tool', inputSchema: { type: 'object' } };
/** Answers calls with this error, and listed methods with these results. */
function failing(code: number, status: number, results: { readonly [method: string]: object }): RawHandler {
  return ({ message: { id, method } }, response) => {
    const result = results[method];
    if (result !== undefined) return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
    const error = { code: method === 'tools/call' ? code : -32601, message: 'mine' };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error }), {}, method === 'tools/call' ? status : 404);
  };
}

const inSessions = (code: number, status: number) =>
  withHandshake(failing(code, status, { 'tools/list': { tools: [TOOL] } }));

const stateless = (code: number, status: number) => {
  const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  return failing(code, status, {
    'server/discover': { ...common, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { ...common, tools: [TOOL] },
  });
};

test.each([
  ['in sessions', -32602, 200, inSessions, 200],
  ['in sessions', -32602, 400, inSessions, 200],
  ['in sessions', -32601, 200, inSessions, 200],
  ['in sessions', -32050, 500, inSessions, 200],
  ['of the stateless revision', -32602, 200, stateless, 200],
  ['of the stateless revision', -32602, 400, stateless, 400],
  ['of the stateless revision', -32601, 404, stateless, 404],
] as const)(
  'a client gets the error of a backend %s that answers with code %i and HTTP status %i',
  async (_, code, status, kind, passed) => {
    const server = await startRawServer(kind(code, status));
    const gateway = await startGateway({ backends: [backendPlan('b', `${server.origin}/mcp`)] });
    onTestFinished(async () => {
      await gateway.stop();
      await server.close();
    });
    await gateway.ready();
    const seen = ({ status: http, text }: { status: number; text: string }) => [http, JSON.parse(text).error];
    const client = new RawClient(gateway.url);
    await client.open();
    const params = { name: 'b_tool', arguments: {} };
    expect(seen(await client.request('tools/call', params))).toEqual([200, { code, message: 'mine' }]);
    expect(seen(await ask(gateway.url, { method: 'tools/call', params }))).toEqual([passed, { code, message: 'mine' }]);
  },
);

test.each([
  ['102 Processing', (response: ServerResponse) => response.writeProcessing(), { result: { content: [] } }],
  ['103 Early Hints', (response: ServerResponse) => response.writeEarlyHints({ link: '</x>' }), { result: {} }],
  // The HTTP library reports an error when it was not requested.
  ['100 Continue', (response: ServerResponse) => response.writeContinue(), FAILED],
] as const)(
  'a client gets the documented answer when a backend sends an unexpected %s before its response',
  async (_, precede, expected) => {
    const server = await startRawServer(
      withHandshake(({ message: { id, method } }, response) => {
        if (method === 'tools/call') precede(response);
        const result = method === 'tools/list' ? { tools: [TOOL] } : { content: [] };
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
      }),
    );
    const gateway = await startGateway({ backends: [backendPlan('b', `${server.origin}/mcp`)] });
    onTestFinished(async () => {
      await gateway.stop();
      await server.close();
    });
    await gateway.ready();
    const client = new RawClient(gateway.url);
    await client.open();
    const { text } = await client.request('tools/call', { name: 'b_tool', arguments: {} });
    expect(JSON.parse(text)).toMatchObject(expected);
  },
);
