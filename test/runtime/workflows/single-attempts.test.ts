/** A step calls its tool once, also if the outcome of the call is unknown: only the spec may say that a call is repeated. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { type RawHandler, startRawServer } from '../../support/raw-server.ts';
import { StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const ONCE = workflow(`
name: once
description: Removes
steps: [{ id: drop, tool: b_drop }]
`);

const THRICE = workflow(`
name: thrice
description: Removes, and says how often
steps: [{ id: drop, tool: b_drop, onError: { action: retry, retryCount: 2, retryDelay: 1ms } }]
`);

const drop = { name: 'drop', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } };
const RESULTS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'b', version: '1' } },
  'tools/list': { tools: [drop] },
};

/** How a backend answers the call of the tool. */
const ENDS: readonly (readonly [what: string, end: RawHandler])[] = [
  ['closes the connection without an answer', (_, response) => void response.destroy()],
  [
    'closes the connection within its answer',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\ndata: \n\n', () => response.destroy());
    },
  ],
  ['answers 500', (_, response) => void response.writeHead(500).end()],
  ['answers 503', (_, response) => void response.writeHead(503, { 'retry-after': '0' }).end()],
  [
    'answers with a JSON-RPC error',
    ({ message }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'no' } }));
    },
  ],
];

test.each(ENDS)(
  'the tool of a workflow step is called once, or as often as the spec says, if its backend %s',
  async (_, end) => {
    const backend = await startRawServer((request, response) => {
      const { method, id } = request.message ?? {};
      if (method === 'tools/call') return end(request, response);
      const result = RESULTS[method];
      if (result !== undefined) response.setHeader('content-type', 'application/json');
      response.statusCode = id === undefined ? 202 : result === undefined ? 404 : 200;
      response.end(result && JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    onTestFinished(() => backend.close());
    const called = () => backend.requests.filter(({ message }) => message?.method === 'tools/call').length;
    await using gateway = await startGateway({
      backends: [backendPlan('b', `${backend.origin}/mcp`)],
      workflows: [ONCE, THRICE],
    });
    await servesWorkflows(gateway);
    const session = await gateway.connect();
    const failed = { structuredContent: { workflowFailure: { step: 'drop', tool: 'drop' } } };
    for (const [name, attempts] of [
      ['once', 1],
      ['thrice', 3],
    ] as const) {
      const before = called();
      expect((await new StatelessClient(gateway.url).call(name, {})).result).toMatchObject(failed);
      expect(called() - before, name).toBe(attempts);
      expect(await session.callTool({ name, arguments: {} })).toMatchObject(failed);
      expect(called() - before, name).toBe(2 * attempts);
    }
  },
);
