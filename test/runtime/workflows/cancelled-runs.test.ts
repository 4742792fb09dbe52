/** What backends get when a client cancels a workflow. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { CLIENTS } from '../bridging/matrix-clients.ts';
import { servesWorkflows, workflow } from './support.ts';

const SLOW = workflow(`
name: slow
description: Takes its time at two backends
steps:
  - { id: first, tool: calm_echo }
  - { id: one, tool: session_slow, dependsOn: [first] }
  - { id: two, tool: stateless_slow, dependsOn: [first] }
  - { id: each, type: forEach, dependsOn: [first], collection: "[1, 2, 3]", maxParallel: 1, step: { id: three, tool: stateless_slow } }
  - { id: never, tool: calm_echo, dependsOn: [one] }
`);

let session: SdkServer;
let stateless: StatelessServer;
let calm: StatelessServer;
let gateway: TestGateway;

beforeAll(async () => {
  [session, stateless, calm] = await Promise.all([
    startSdkServer({ transport: 'streamable-http' }),
    startStatelessServer(),
    startStatelessServer(),
  ]);
  const servers = { session, stateless, calm };
  gateway = await startGateway({
    backends: Object.entries(servers).map(([name, { url }]) => backendPlan(name, url)),
    workflows: [SLOW],
  });
  await servesWorkflows(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([session, stateless, calm].map(server => server.close()));
});

const called = ({ requests }: StatelessServer) => requests.filter(({ method }) => method === 'tools/call').length;

// The raw client cannot cancel.
test.each(CLIENTS.filter(([kind]) => kind !== 'raw'))(
  'client %s cancels a workflow: the backends with and without sessions of its running steps are notified, and get no other call',
  async (_kind, connect) => {
    const before = { calm: called(calm), stateless: called(stateless) };
    const slow = { session: session.slowCalls, stateless: stateless.slowCalls };
    const cancelled = { session: session.cancelled, stateless: stateless.cancelled };
    const client = await connect(gateway.url, 'ann');
    const stop = new AbortController();
    const outcome = expect(client.callTool('slow', {}, undefined, stop.signal)).rejects.toThrow();
    await eventually(() => session.slowCalls === slow.session + 1 && stateless.slowCalls === slow.stateless + 2);
    stop.abort();
    await outcome;
    await eventually(
      () => session.cancelled === cancelled.session + 1 && stateless.cancelled === cancelled.stateless + 2,
    );
    await eventually(async () => (await gateway.status()).workflows?.[0]?.running === 0);
    expect([called(calm) - before.calm, called(stateless) - before.stateless]).toEqual([1, 2]);
    await client.close();
  },
);
