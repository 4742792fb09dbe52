/** What stateless clients come back for, at each replica: elicitations of a running call, and tasks. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BundleOptions, backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { withPeers } from '../../support/peers.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { type Several, startReplicas, startWorkers } from './several.ts';
import { answersTo, startAskingBackend, startTasksBackend, stateless } from './stateless-peers.ts';

const UNKNOWN = -32602;

async function peers() {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const asking = stack.use(await startAskingBackend());
  const tasks = stack.use(await startTasksBackend());
  const idp = await startIdentityProvider();
  stack.defer(() => idp.close());
  const bundle = {
    backends: [backendPlan('a', asking.url), backendPlan('t', tasks.url)],
    incomingAuth: authPlan([providerPlan(idp)]),
  };
  const as = async (sub: string) => stateless(await idp.issue({ claims: { sub } }));
  return { stack, asking, bundle, as };
}

/** A gateway of several processes with both backends. */
async function inFrontOf(start: (bundle: BundleOptions) => Promise<Several>) {
  const { stack, asking, bundle, as } = await peers();
  return { asking, as, several: stack.use(await start(bundle)) };
}

const HOLDING = 'tools/call';
const call = (name: string, more: object = {}) => ({ name, arguments: { nonce: 1 }, ...more });

function suite(start: (bundle: BundleOptions) => Promise<Several>, keepsTasks: boolean): void {
  test('a stateless client can answer a question at each process in turn', async () => {
    const { as, asking, several } = await inFrontOf(start);
    const { urls } = several;
    const ann = await as('ann');
    for (const name of ['a_ask', 'a_ask_twice']) {
      for (let at = 0; at < 4; at++) {
        const where = (round: number) => urls[(at + round) % urls.length] as string;
        let answered = await ann(where(0), HOLDING, call(name));
        for (let round = 1; answered.result?.resultType === 'input_required'; round++) {
          answered = await ann(where(round), HOLDING, call(name, answersTo(answered, { name: `${at}/${round}` })));
        }
        const told = JSON.parse(answered.result?.content[0].text) as { content: { name: string } }[];
        expect(told.map(({ content }) => content.name)).toEqual(
          name === 'a_ask' ? [`${at}/1`] : [`${at}/1`, `${at}/2`],
        );
      }
    }
    expect(asking.answers.length, 'each answer came once').toBe(4 + 8);
  });

  test('a stateless client that continues its call at another process gets the further progress and the whole result from that process', async () => {
    const { as, several } = await inFrontOf(start);
    const { urls } = several;
    const ann = await as('ann');
    const params = { name: 'a_large', arguments: { length: 1_500_000 }, _meta: {} };
    const meta = { progressToken: 'p1' };
    const asked = await ann(urls[0] as string, HOLDING, params, { meta });
    const next = { ...params, ...answersTo(asked, { name: 'x' }) };
    const answered = await ann(urls[1] as string, HOLDING, next, { meta: { progressToken: 'p2' } });
    expect(answered.text).toContain('"progressToken":"p2"');
    expect(answered.result.content[0].text).toBe('ä'.repeat(1_500_000));
  });

  test('a requestState is valid once, for the same caller and the same call, at any process', async () => {
    const { as, asking, several } = await inFrontOf(start);
    const { urls } = several;
    const [ann, bob] = [await as('ann'), await as('bob')];
    const asked = await ann(urls[0] as string, HOLDING, call('a_ask'));
    const answers = answersTo(asked, { name: 'x' });
    for (const url of urls) {
      expect((await bob(url, HOLDING, call('a_ask', answers))).error?.code).toBe(UNKNOWN);
      const other = { ...call('a_ask', answers), arguments: { nonce: 2 } };
      expect((await ann(url, HOLDING, other)).error?.code).toBe(UNKNOWN);
      const forged = { ...answers, requestState: `${String(answers.requestState).slice(0, -2)}AA` };
      expect((await ann(url, HOLDING, call('a_ask', forged))).error?.code).toBe(UNKNOWN);
    }
    const attempts = Array.from({ length: 6 }, (_, at) =>
      ann(urls[at % urls.length] as string, HOLDING, call('a_ask', answers)),
    );
    const codes = (await Promise.all(attempts)).map(({ error }) => error?.code);
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    expect(codes.filter(code => code === UNKNOWN)).toHaveLength(5);
    for (const url of urls) expect((await ann(url, HOLDING, call('a_ask', answers))).error?.code).toBe(UNKNOWN);
    expect(asking.answers).toHaveLength(1);
  });

  test('a stateless client that disconnects at any process ends its call', async () => {
    const { as, asking, several } = await inFrontOf(start);
    const { urls } = several;
    const ann = await as('ann');
    for (let at = 0; at < 2; at++) {
      const asked = await ann(urls[0] as string, HOLDING, call('a_wait'));
      const stop = new AbortController();
      const params = call('a_wait', answersTo(asked, { name: 'x' }));
      const answer = ann(urls[1] as string, HOLDING, params, { signal: stop.signal });
      answer.catch(() => {});
      await eventually(() => asking.waiting === at + 1);
      const before = asking.endedSessions;
      stop.abort();
      await eventually(() => asking.endedSessions > before);
    }
  });

  test('a stateless client learns that its call may have had an effect when the process that holds the call is killed', async () => {
    const { as, asking, several } = await inFrontOf(start);
    const { urls, killFirst } = several;
    const ann = await as('ann');
    const [first, second] = urls as [string, string];
    const asked = await ann(first, HOLDING, call('a_ask'));
    const waiting = await ann(first, HOLDING, call('a_wait'));
    const underWay = ann(second, HOLDING, call('a_wait', answersTo(waiting, { name: 'x' })));
    underWay.catch(() => {});
    await eventually(() => asking.waiting === 1);
    await killFirst();
    const lost = await ann(urls.at(-1) as string, HOLDING, call('a_ask', answersTo(asked, { name: 'x' })));
    expect(lost.error).toMatchObject({ code: -32603, data: { reason: 'replica_lost' } });
    expect(lost.error?.message).toContain('may have had an effect');
    expect(asking.answers, 'no other replica has answered').toHaveLength(1);
  });

  test('when a process is killed, a stateless client that waits for a call of that process gets the error replica_lost, or its connection ends', async () => {
    const { as, asking, several } = await inFrontOf(start);
    const { urls, killFirst } = several;
    const ann = await as('ann');
    const [first, second] = urls as [string, string];
    const waiting = await ann(first, HOLDING, call('a_wait'));
    const underWay = ann(second, HOLDING, call('a_wait', answersTo(waiting, { name: 'x' }))).catch(
      (error: Error) => error,
    );
    await eventually(() => asking.waiting === 1);
    await killFirst();
    const answered = await underWay;
    // With workers both are killed, and the client's connection breaks with its worker.
    if (!(answered instanceof Error)) expect(answered.error?.data?.reason).toBe('replica_lost');
  });

  test('a caller can read its task at each process, also when the process that made the task is killed', async () => {
    const { as, several } = await inFrontOf(start);
    const { urls, killFirst } = several;
    const [ann, bob] = [await as('ann'), await as('bob')];
    const make = async () => (await ann(urls[0] as string, HOLDING, call('t_make'))).result.taskId as string;
    const [one, other] = [await make(), await make()];
    for (const url of urls) {
      expect((await ann(url, 'tasks/get', { taskId: one })).result).toMatchObject({ taskId: one, status: 'working' });
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect((await bob(url, method, { taskId: one })).error?.code).toBe(UNKNOWN);
    }
    expect((await ann(urls[1] as string, 'tasks/update', { taskId: one, inputResponses: {} })).result).toBeDefined();
    expect((await ann(urls[1] as string, 'tasks/cancel', { taskId: other })).result).toBeDefined();
    await killFirst();
    const last = urls.at(-1) as string;
    expect((await ann(last, 'tasks/get', { taskId: one })).result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: '1' }] },
    });
    expect((await ann(last, 'tasks/get', { taskId: other })).result.status).toBe('cancelled');
    expect((await bob(last, 'tasks/get', { taskId: one })).error?.code).toBe(UNKNOWN);
  });

  test(`after a restart of all processes, stateless calls are lost and tasks ${keepsTasks ? 'continue' : 'are lost, too'}`, async () => {
    const { as, several } = await inFrontOf(start);
    const ann = await as('ann');
    const asked = await ann(several.urls[0] as string, HOLDING, call('a_ask'));
    const made = await ann(several.urls[0] as string, HOLDING, call('t_make'));
    await several.restart();
    const url = several.urls[0] as string;
    const lost = await ann(url, HOLDING, call('a_ask', answersTo(asked, { name: 'x' })));
    const got = await ann(url, 'tasks/get', { taskId: made.result.taskId });
    if (keepsTasks) {
      expect(lost.error?.data?.reason).toBe('replica_lost');
      expect(got.result.status).toBe('working');
    } else
      for (const { error } of [lost, got]) {
        expect(error?.code).toBe(UNKNOWN);
        expect(error?.message).toContain('before a restart of a gateway that keeps its state in memory');
      }
  });
}

withPeers('redis-server').describe('of several replicas', () => suite(startReplicas, true));

describe('of several workers', () => suite(startWorkers, false));

test('after a restart of a process that keeps its state in memory, calls and tasks are lost', async () => {
  const { stack, bundle, as } = await peers();
  const ann = await as('ann');
  const gateway = async () => {
    const one = await startGateway(bundle);
    await one.ready();
    return one;
  };
  const first = await gateway();
  const asked = await ann(first.url, HOLDING, call('a_ask'));
  const ended = await ann(first.url, HOLDING, call('a_ask', answersTo(asked, { name: 'x' })));
  expect(ended.result.content[0].text).toContain('"name":"x"');
  const again = await ann(first.url, HOLDING, call('a_ask'));
  const made = await ann(first.url, HOLDING, call('t_make'));
  await first.stop();
  const next = await gateway();
  stack.defer(() => next.stop());
  const lost = await ann(next.url, HOLDING, call('a_ask', answersTo(again, { name: 'x' })));
  const got = await ann(next.url, 'tasks/get', { taskId: made.result.taskId });
  for (const { error } of [lost, got]) {
    expect(error?.code).toBe(UNKNOWN);
    expect(error?.message).toContain('before a restart of a gateway that keeps its state in memory');
  }
});
