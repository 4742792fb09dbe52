/**
 * A backend that was probed as HTTP+SSE fails a probe: for a moment its transport is in doubt, and sessions that are created then must receive
 * its requests nevertheless.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { type ChangingBackend, startChangingBackend } from '../../support/changing-backend.ts';
import { type BundleOptions, backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { ask, META } from '../stateless-edge/requests.ts';

const bundle = ({ url }: ChangingBackend, timeoutMs = 60_000): BundleOptions => ({
  backends: [backendPlan('a', url, { timeoutMs })],
  operational: { health: { intervalMs: 200, timeoutMs: 60_000, unhealthyThreshold: 1_000 } },
});

async function serve() {
  const backend = await startChangingBackend('sse');
  onTestFinished(() => backend.close());
  const gateway = await startGateway(bundle(backend));
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { backend, gateway };
}

type Serving = Awaited<ReturnType<typeof serve>>;

async function failedProbe({ backend, gateway }: Serving, _round: number): Promise<void> {
  const failures = async () => (await gateway.status()).backends[0]?.consecutiveFailures ?? 0;
  backend.isAway = true;
  await eventually(async () => (await failures()) > 0);
  backend.isAway = false;
}

/** A bundle that reaches the backend differently: its health is kept, its transport is probed again. */
async function swap({ backend, gateway }: Serving, round: number): Promise<void> {
  const digest = async () => (await gateway.status()).bundle.digest;
  const before = await digest();
  await gateway.replace(bundle(backend, 50_000 + round));
  await eventually(async () => (await digest()) !== before);
}

const DOUBTS = [
  ['after a failed probe', failedProbe],
  ['after a change of the bundle', swap],
] as const;

const FORMS = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };

/** The final result of a call for which the client declines the elicitation. */
async function elicit(gateway: TestGateway): Promise<string> {
  const call = { name: 'a_elicit', arguments: { nonce: 'ann' } };
  const send = async (params: object) =>
    JSON.parse((await ask(gateway.url, { method: 'tools/call', params: { ...params }, meta: FORMS })).text).result;
  const { requestState, inputRequests, content } = await send(call);
  if (inputRequests === undefined) return content[0].text;
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, { action: 'decline' }]));
  return (await send({ ...call, requestState, inputResponses })).content[0].text;
}

test.each(DOUBTS)('%s, a backend can still send questions to stateless clients', async (_, doubt) => {
  const serving = await serve();
  for (let round = 0; round < 3; round++) {
    await doubt(serving, round);
    // As many calls as need a session each.
    const results = await Promise.all(Array.from({ length: 5 }, () => elicit(serving.gateway)));
    expect(new Set(results)).toEqual(new Set(['ann {"action":"decline"}']));
  }
});

test.each(DOUBTS)(
  '%s, a backend can still send questions to clients in sessions without a GET stream',
  async (_, doubt) => {
    const serving = await serve();
    const raw = new RawClient(serving.gateway.url);
    await raw.open('2025-11-25', { elicitation: { form: {} } });
    await doubt(serving, 0);
    const stream = raw.stream('tools/call', { name: 'a_elicit', arguments: { nonce: 'ann' } });
    const { id, method } = JSON.parse((await stream.next()).value as string);
    expect(method).toBe('elicitation/create');
    await raw.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    expect((await stream.next()).value).toContain('ann {\\"action\\":\\"decline\\"}');
  },
);

test.each(DOUBTS)(
  '%s, a backend can still send questions to clients in sessions with a GET stream',
  async (_, doubt) => {
    const serving = await serve();
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.gateway.url)));
    onTestFinished(() => client.close());
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
    await doubt(serving, 0);
    const { content } = await client.callTool({ name: 'a_elicit', arguments: { nonce: 'ann' } });
    expect(content).toEqual([{ type: 'text', text: 'ann {"action":"decline"}' }]);
  },
);
