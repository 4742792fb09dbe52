/** A backend comes back with another revision of MCP: its gateway notices, and client sessions go on. */
import { afterEach, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

const sessions = (name: string, port?: number): Promise<SdkServer> =>
  startSdkServer({ transport: 'streamable-http', tools: [{ name }], ...(port === undefined ? {} : { port }) });
const stateless = (name: string, port?: number): Promise<SdkServer> =>
  startStatelessServer({ tools: [{ name }], ...(port === undefined ? {} : { port }) });

test.each([
  ['from sessions to none', sessions, '2025-11-25', stateless, '2026-07-28'],
  ['from none to sessions', stateless, '2026-07-28', sessions, '2025-11-25'],
] as const)('%s', async (_name, before, revisionBefore, after, revisionAfter) => {
  const first = await before('old');
  const gateway = await startGateway({
    backends: [backendPlan('a', first.url)],
    operational: { health: { intervalMs: 200, timeoutMs: 1_000, unhealthyThreshold: 2 } },
  });
  open.push({ close: () => gateway.stop() });
  const raw = new RawClient(gateway.url);
  await raw.open();
  const names = async () =>
    (await raw.result<{ tools: { name: string }[] }>('tools/list')).tools.map(({ name }) => name);
  const revision = async () => (await gateway.status()).backends[0]?.mcpRevision;
  expect(await names()).toContain('a_old');
  expect(await revision()).toBe(revisionBefore);
  expect(await raw.result('tools/call', { name: 'a_echo', arguments: {} })).toHaveProperty('content');
  await first.close();
  open.push(await after('new', first.port));
  await eventually(async () => (await names()).includes('a_new'));
  expect(await revision()).toBe(revisionAfter);
  for (let n = 0; n < 5; n++) {
    expect(await raw.result('tools/call', { name: 'a_echo', arguments: { n } })).toHaveProperty('content');
  }
});

test('many clients cost one look at the backend', async () => {
  const server = await startStatelessServer();
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', server.url)] });
  open.push({ close: () => gateway.stop() });
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const raw = new RawClient(gateway.url);
      await raw.open();
      expect(await raw.result('tools/call', { name: 'a_echo', arguments: {} })).toHaveProperty('content');
    }),
  );
  expect(server.initializations).toBe(1);
});
