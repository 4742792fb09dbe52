/** Two replicas of one gateway, each with its own file: one gets the next bundle before the other. */
import { expect } from 'vitest';
import type { StatusPage } from '#runtime';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { BundleFile, type GatewayProgram, startGatewayProgram } from '../../support/gateway-program.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { COUNT_TOOL, startSdkServer } from '../../support/sdk-server.ts';
import { backendsAreReady, fetchStoreStatus } from './replicas.ts';
import { call, openSession, post, reading, readResult } from './wire.ts';

/** Longer than a replica waits for others to report that they use a session. */
const ASKED_MS = 4_500;

withPeers('redis-server').test(
  'a session with a backend ends when the last replica no longer uses it, whichever replica loads the next bundle first',
  async () => {
    await using stack = new AsyncDisposableStack();
    const backend = await startSdkServer({ transport: 'streamable-http', tools: [COUNT_TOOL] });
    stack.defer(() => backend.close());
    const redis = stack.use(await RedisServer.start());
    const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
    const bundle = (timeoutMs: number) => ({
      backends: [backendPlan('one', backend.url, { timeoutMs })],
      sessionStorage,
    });
    const [file, otherFile] = [
      stack.use(await BundleFile.write(bundle(60_000))),
      stack.use(await BundleFile.write(bundle(60_000))),
    ];
    const one = await startGatewayProgram(stack, file);
    const other = await startGatewayProgram(stack, otherFile);
    for (const replica of [one, other]) {
      await eventually(async () => (await fetchStoreStatus(replica.internalUrl)).ready);
      await backendsAreReady(replica);
    }
    const session = await openSession(one.url, { elicitation: {} });
    const count = async (id: number, { url }: GatewayProgram) =>
      JSON.stringify(await readResult(await post(url, call(id, 'one_count'), session)));
    const [first, second, third] = [await count(1, one), await count(2, other), await count(3, one)];
    const answering = await post(other.url, call(4, 'one_elicit'), session);
    const asked = reading(answering.clone());
    await eventually(() => asked.text.includes('elicitation/create'));

    await swap(one, file, bundle(59_000));
    // In a session of its own.
    expect(withoutId(await count(5, one))).toBe(withoutId(first));
    await new Promise(resolve => setTimeout(resolve, ASKED_MS));
    const { id } = JSON.parse(/^data: (\{.*elicitation\/create.*)$/m.exec(asked.text)?.[1] ?? '') as { id: string };
    await (await post(other.url, { id, result: { action: 'accept', content: {} } }, session)).text();
    expect(JSON.stringify(await readResult(answering))).toContain('accept');
    // Still the old one.
    const counts = [first, second, third, await count(6, other)].map(withoutId);
    expect(new Set(counts).size).toBe(4);

    await swap(other, otherFile, bundle(59_000));
    expect(withoutId(await count(7, other))).toBe(withoutId(second));
    // The sessions in which the two probe the backend, and the one that both use now.
    await eventually(() => backend.openSessions === 3);
  },
);

async function swap({ internalUrl }: GatewayProgram, file: BundleFile, bundle: Parameters<BundleFile['replace']>[0]) {
  const digest = async () => ((await (await fetch(`${internalUrl}/status`)).json()) as StatusPage).bundle.digest;
  const before = await digest();
  await file.replace(bundle);
  await eventually(async () => (await digest()) !== before);
}

const withoutId = (answer: string): string => answer.replace(/"id":\d+/, '');
