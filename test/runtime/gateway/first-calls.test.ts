/** A gateway that has just started: a call only waits for backends that may own its name. */
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import { UNLIMITED } from '../../../runtime/auth/authorization/authorizer.ts';
import { Gateway } from '../../../runtime/gateway/gateway.ts';
import { backendPlan, gatewayBundle, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawServer, startRawServer } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

/** A backend that answers nothing. */
async function silent(): Promise<RawServer> {
  const server = await startRawServer(() => {});
  onTestFinished(() => server.close());
  return server;
}

async function speaking(): Promise<SdkServer> {
  const server = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => server.close());
  return server;
}

async function gatewayOf(options: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  return gateway;
}

async function isReady(gateway: TestGateway): Promise<boolean> {
  return (await fetch(`${gateway.internalUrl}/readyz`)).ok;
}

test('the first call to a gateway does not wait for a backend whose prefix the tool name does not have', async () => {
  const [web, dead] = [await speaking(), await silent()];
  const gateway = await gatewayOf({
    backends: [backendPlan('dead', `${dead.origin}/mcp`), backendPlan('web', web.url)],
  });
  const raw = new RawClient(gateway.url);
  await raw.open();
  expect(await raw.result('tools/call', { name: 'web_echo', arguments: { a: 1 } })).toMatchObject({
    content: [{ text: '{"a":1}' }],
  });
  expect(await isReady(gateway)).toBe(false);
  const unknown = await raw.request('tools/call', { name: 'nobody_has', arguments: {} });
  expect(unknown.text).toContain('unknown tool');
  expect(await isReady(gateway)).toBe(false);
});

test('to find the owner of a tool name with a prefix, the gateway asks only the backend with that prefix', async () => {
  const [web, other] = [await speaking(), await silent()];
  const backends = [backendPlan('other', `${other.origin}/mcp`), backendPlan('web', web.url)];
  const gateway = new Gateway(gatewayBundle({ backends }), UNLIMITED, { version: '0', log: createLogger('silent') });
  onTestFinished(() => gateway.close());
  await gateway.discovery.ownerKnown('web_echo');
  expect(gateway.table.tools.has('web_echo')).toBe(true);
  expect(other.requests).toEqual([]);
  void gateway.start();
  await other.waitFor(() => true);
});

test.each([
  ['a prefix that begins the other prefix', { strategy: 'prefix' as const, priorityOrder: [] }, 'web_e', 'web_echo'],
  ['priorities', { strategy: 'priority' as const, priorityOrder: ['dead', 'web'] }, 'dead_', 'echo'],
])(
  'the first call to a gateway also waits for a silent backend if the tool name may belong to this backend, with %s',
  async (_, aggregation, prefix, name) => {
    const [web, dead] = [await speaking(), await silent()];
    const deadPlan = backendPlan('dead', `${dead.origin}/mcp`);
    const gateway = await gatewayOf({
      backends: [{ ...deadPlan, tools: { ...deadPlan.tools, prefix } }, backendPlan('web', web.url)],
      aggregation,
      firstListWaitMs: 3_000,
    });
    const raw = new RawClient(gateway.url);
    await raw.open();
    expect(await raw.result('tools/call', { name, arguments: {} })).toMatchObject({ content: [{ text: '{}' }] });
    expect(await isReady(gateway)).toBe(true);
  },
);
