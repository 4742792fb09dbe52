/** One caller opens sessions without end: the memory of a gateway is bounded, and others are served. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { eventually } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { startScriptedProvider } from '../auth/incoming/scripted-provider.ts';
import { call, disposable, INITIALIZE, post } from '../scale-out/wire.ts';
import { GatewayProcess } from '../soak/gateway-process.ts';

const OPENED = 20_000;
const AT_ONCE = 40;

/** Half of the places for sessions, which is the most that one caller gets. */
const SHARE = 5_000;

/** The bytes that may be alive for each open session; sessions that were opened before and replaced may keep none. */
const BYTES_OF_ONE = 20_000;

/** On a busy machine, three probes of the backend may fail: then a call is refused, and leads to a probe at once. */
async function expectAnswer(client: Client): Promise<void> {
  await eventually(async () => {
    const answer = await client.callTool({ name: 'one_echo', arguments: {} }).catch((error: Error) => {
      if (!error.message.includes('is unavailable')) throw error;
    });
    return answer?.content !== undefined;
  });
}

test.each([
  ['that are never used replace older sessions of this caller', false, 0],
  ['that are used once are refused beyond the share of the caller', true, OPENED - SHARE],
])('20,000 sessions of one caller %s', async (_, isUsed, expectedRefusals) => {
  await using idp = await disposable(startScriptedProvider());
  await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
  await using gateway = await GatewayProcess.start({
    backends: [backendPlan('one', backend.peer.url)],
    incomingAuth: authPlan([providerPlan(idp.peer)]),
  });
  const as = async (sub: string) => ({ Authorization: `Bearer ${await idp.peer.sign({ sub })}` });
  const [greedy, ann] = [await as('greedy'), await as('ann')];
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit: { headers: ann } }) as never,
    );
    return client;
  };
  const before = await connect();
  await expectAnswer(before);
  const atStart = await gateway.memory();

  let refusals = 0;
  const open = async () => {
    const answer = await post(gateway.url, INITIALIZE, undefined, greedy);
    await answer.text();
    const id = answer.headers.get('mcp-session-id');
    if (answer.status === 503) refusals += 1;
    else {
      expect([answer.status, typeof id]).toEqual([200, 'string']);
      if (isUsed) await (await post(gateway.url, { id: 1, method: 'ping' }, id ?? '', greedy)).text();
    }
  };
  for (let opened = 0; opened < OPENED; opened += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => open()));

  expect(refusals).toBe(expectedRefusals);
  expect((await gateway.status()).sessions).toBeLessThanOrEqual(SHARE + 10);
  const atEnd = await gateway.memory();
  expect(atEnd.heapBytes - atStart.heapBytes).toBeLessThan(SHARE * BYTES_OF_ONE);
  // Who was there before has lost nothing, and newcomers get in.
  await expectAnswer(before);
  const after = await connect();
  await expectAnswer(after);
  expect((await post(gateway.url, call(1, 'one_echo'), undefined, ann)).status).toBe(400);
  await Promise.all([before.close(), after.close()]);
});
