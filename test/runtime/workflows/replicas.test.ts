/** A suspended run is stored with the shared sessions: any replica resumes it, also after a restart. */
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const ASKING = workflow(`
name: asking
description: Calls, asks, calls
parameters: { type: object, properties: { text: { type: string } } }
steps:
  - { id: first, tool: one_echo, arguments: { text: "{{ .params.text }}" } }
  - { id: ask, type: elicitation, dependsOn: [first], message: "Go on?", schema: { type: object, properties: { name: { type: string } } } }
  - { id: last, tool: one_echo, dependsOn: [ask], arguments: { first: "{{ .steps.first.output.text }}", name: "{{ .steps.ask.output.content.name }}" } }
`);

/** The Redis contains a run that expires, and none of these texts. */
async function expectSealed(redis: RedisServer, texts: readonly string[]): Promise<void> {
  const client = new Redis({ host: '127.0.0.1', port: redis.port });
  onTestFinished(() => client.disconnect());
  const keys = await client.keys('*');
  const stored = await Promise.all(keys.map(async key => (await client.dumpBuffer(key)).toString('latin1')));
  const runs = keys.filter((_, at) => stored[at]?.includes('state') === true);
  expect(runs).toHaveLength(1);
  const ttlMs = await client.pttl(runs[0] ?? '');
  expect(ttlMs).toBeGreaterThan(0);
  // The question's five minutes, and more for clients that come late.
  expect(ttlMs).toBeLessThan(10 * 60_000);
  for (const text of texts) expect([...keys, ...stored].join('\n')).not.toContain(text);
}

withPeers('redis-server').describe('with a Redis', () => {
  test('a person answers the question of a workflow after the gateway was restarted with its state in Redis', async () => {
    const redis = await RedisServer.start();
    const one = await startSdkServer({ transport: 'streamable-http' });
    onTestFinished(async () => {
      await one.close();
      await redis[Symbol.asyncDispose]();
    });
    const options = {
      backends: [backendPlan('one', one.url)],
      workflows: [ASKING],
      sessionStorage: { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' },
    };
    const call = async (more: object = {}) => {
      const gateway = await startGateway(options);
      await servesWorkflows(gateway);
      try {
        return await new StatelessClient(gateway.url).call('asking', { text: 'words-of-a-person' }, more);
      } finally {
        await gateway.stop();
      }
    };
    const { result } = await call();
    expect(result?.resultType).toBe('input_required');
    await expectSealed(redis, ['words-of-a-person', result?.requestState?.replace('lintel-w.', '') ?? '']);
    const inputResponses = { ask: { action: 'accept', content: { name: 'ann' } } };
    const answers = { requestState: result?.requestState, inputResponses };
    const ended = await call(answers);
    expect(JSON.parse(String((ended.result?.structuredContent as { text?: unknown } | undefined)?.text))).toEqual({
      first: '{"text":"words-of-a-person"}',
      name: 'ann',
    });
    expect((await call(answers)).error?.code).toBe(-32602);
  });

  test('a workflow continues once when two replicas get the answer to its question at the same time', async () => {
    await using redis = await RedisServer.start();
    const one = await startStatelessServer();
    onTestFinished(() => one.close());
    const options = {
      backends: [backendPlan('one', one.url)],
      workflows: [ASKING],
      sessionStorage: { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' },
    };
    await using first = await startGateway(options);
    await using second = await startGateway(options);
    const clients = [first, second].map(({ url }) => new StatelessClient(url));
    for (const gateway of [first, second]) await servesWorkflows(gateway);
    const asked = await clients[0]?.call('asking', { text: 'a' });
    const inputResponses = { ask: { action: 'accept', content: { name: 'ann' } } };
    const answers = { requestState: asked?.result?.requestState, inputResponses };
    const ends = await Promise.all(clients.map(client => client.call('asking', { text: 'a' }, answers)));
    expect(ends.map(({ result, error }) => result?.resultType ?? error?.code).sort()).toEqual([-32602, 'complete']);
    expect(one.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
  });
});
