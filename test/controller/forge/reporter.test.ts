/** Reports of reconciles to a forge: secrets, waiting, and messages about refusals. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createReporter } from '../../../controller/forge/reporter.ts';
import type { ReconcileReport } from '../../../controller/reconcile/index.ts';
import { STUB_TOKEN, StubForge } from '../../support/forge.ts';
import { COMMIT, condition, outcome, PROGRESSING, READY, source, told, unit } from './telling.ts';

const signal = new AbortController().signal;
const FAILED = condition('Stalled', 'True', 'CompilationFailed', 'LNT1003 gateways/eng.yaml:7: unknown field');

async function started() {
  const stub = await StubForge.start('github');
  stub.commits.set(COMMIT, [5]);
  let now = Date.UTC(2026, 10, 22);
  interface World {
    readonly stub: StubForge;
    secret: { readonly [key: string]: string } | undefined;
    secretsRead: number;
    readonly said: string[];
    readonly counts: string[];
    readonly later: (ms: number) => void;
    readonly reporter: ReturnType<typeof createReporter>;
    /** The last report in the status. */
    lastPosted: string | undefined;
    /** One reconcile; the status keeps its result. */
    readonly run: (conditions: Parameters<typeof told>[0], more?: Partial<ReconcileReport>) => Promise<void>;
  }
  const world: World = {
    stub,
    secret: { token: `${STUB_TOKEN}\n` },
    secretsRead: 0,
    said: [],
    counts: [],
    later: (ms: number) => {
      now += ms;
    },
    reporter: createReporter({
      readSecret: async (_, name) => {
        expect(name).toBe('forge');
        world.secretsRead += 1;
        return world.secret;
      },
      events: { add: (_, type, reason, message) => world.said.push(`${type} ${reason}: ${message}`) },
      log: () => {},
      now: () => now,
      onReport: (provider, result) => world.counts.push(`${provider} ${result}`),
    }),
    lastPosted: undefined,
    run: async (conditions, more = {}) => {
      const settings = {
        provider: 'github',
        secretRef: { name: 'forge' },
        context: 'prod',
        apiUrl: stub.apiUrl,
      } as const;
      const one = told(conditions, {
        source: source({ commitStatus: settings }),
        outcome: outcome([unit('eng')]),
        ...more,
      });
      const status = world.lastPosted === undefined ? one.status : { ...one.status, lastPosted: world.lastPosted };
      world.lastPosted = await world.reporter.publish({ ...one, status }, signal);
    },
  };
  onTestFinished(async () => {
    await world.reporter.close();
    await stub[Symbol.asyncDispose]();
  });
  return world;
}

test('the controller posts the commit statuses failure, pending and success of a source once each, even after more reconciles', async () => {
  const world = await started();
  for (const conditions of [[FAILED], [FAILED], [PROGRESSING], [PROGRESSING], [READY], [READY]])
    await world.run(conditions);
  const own = world.stub.statuses.filter(({ context }) => context === 'prod').map(({ state }) => state);
  expect(own).toEqual(['failure', 'pending', 'success']);
  expect(world.said).toEqual([]);
});

test('a reconcile without changes sends no request to the forge and does not read the Secret', async () => {
  const world = await started();
  await world.run([READY]);
  const [asked, read] = [world.stub.requests.length, world.secretsRead];
  await world.run([READY]);
  expect([world.stub.requests.length, world.secretsRead]).toEqual([asked, read]);
});

test.each([
  ['no Secret', undefined, 'there is no Secret "forge" with a token for the forge'],
  ['a Secret without a token', { password: 'x' }, 'Secret "forge" has no token for the forge under the key "token"'],
  [
    'a token with a line break',
    { token: 'a\r\nhost: x' },
    'Secret "forge" has no token for the forge under the key "token"',
  ],
  [
    'an invalid CA certificate',
    { token: STUB_TOKEN, 'ca.crt': 'hello' },
    'ca.crt of Secret "forge" holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----',
  ],
])(
  'the controller reports a problem of the forge Secret once, and posts statuses after a correction: %s',
  async (_, secret, message) => {
    const world = await started();
    world.secret = secret;
    await world.run([FAILED]);
    await world.run([FAILED]);
    expect(world.said).toEqual([`Warning CommitStatusFailed: ${message}`]);
    expect(world.stub.requests).toEqual([]);
    world.secret = { token: STUB_TOKEN };
    await world.run([FAILED]);
    expect(world.stub.statusesOf(COMMIT)).toHaveProperty('prod');
  },
);

test('a token that the forge refuses causes one event, and no further request until the token changes', async () => {
  const world = await started();
  world.secret = { token: 'expired' };
  for (let run = 0; run < 5; run += 1) {
    await world.run([FAILED]);
    world.later(60_000);
  }
  expect(world.stub.requests).toHaveLength(1);
  expect(world.said).toHaveLength(1);
  expect(world.said[0]).toContain('the token is not valid');
  expect(world.counts).toEqual(['github unauthorized']);
  world.secret = { token: STUB_TOKEN };
  await world.run([FAILED]);
  expect(world.stub.statusesOf(COMMIT).prod).toMatch(/^failure: /);
});

test('the controller sends no request to a rate-limited forge for the requested time, then posts the statuses', async () => {
  const world = await started();
  world.stub.intercept = () => ({ status: 429, headers: { 'retry-after': '120' } });
  await world.run([FAILED]);
  world.later(119_000);
  await world.run([FAILED]);
  expect(world.stub.requests).toHaveLength(1);
  world.stub.intercept = () => undefined;
  world.later(1_000);
  await world.run([FAILED]);
  expect(world.stub.statusesOf(COMMIT)).toHaveProperty('prod');
});

test('the controller waits longer after each failed request to a forge that is down', async () => {
  const world = await started();
  world.stub.intercept = () => ({ status: 502, body: 'bad gateway' });
  for (let second = 0; second < 600; second += 1) {
    await world.run([FAILED]);
    world.later(1_000);
  }
  expect(world.stub.requests.length).toBeLessThan(10);
  expect(world.said).toHaveLength(1);
});

test('a forge that cannot be reached fails no reconcile run', async () => {
  const world = await started();
  await world.stub[Symbol.asyncDispose]();
  await world.run([FAILED]);
  expect(world.said[0]).toContain('it cannot be reached (ECONNREFUSED)');
});

test('a forge Secret that cannot be read fails no reconcile run', async () => {
  const world = await started();
  const broken = createReporter({
    readSecret: () => Promise.reject(new Error('secrets "forge" is forbidden')),
    events: { add: (_, __, ___, message) => world.said.push(message) },
    log: () => {},
    now: () => 0,
  });
  expect(await broken.publish(told([FAILED], { status: { lastPosted: 'v1 x' } }), signal)).toBe('v1 x');
  expect(world.said).toEqual(['the result cannot be written to the forge: secrets "forge" is forbidden']);
});

test('the controller reports once that its forge token may not comment', async () => {
  const world = await started();
  world.stub.users.set(STUB_TOKEN, { id: 7, mayComment: false });
  for (const conditions of [[FAILED], [PROGRESSING], [READY]]) await world.run(conditions);
  expect(world.said).toHaveLength(1);
  expect(world.said[0]).toContain('no comment on pull requests: ');
  expect(world.stub.statusesOf(COMMIT).prod).toMatch(/^success: /);
});

test('the controller posts and records nothing for a source without commitStatus', async () => {
  const world = await started();
  const { commitStatus: _, ...spec } = source().spec;
  const plain = { ...source(), spec };
  expect(
    await world.reporter.publish(told([READY], { source: plain, status: { lastPosted: 'v1 x' } }), signal),
  ).toBeUndefined();
});

test('after a source is deleted, the controller forgets that the forge refused the token of the source', async () => {
  const world = await started();
  world.secret = { token: 'expired' };
  await world.run([READY]);
  const asked = world.stub.requests.length;
  await world.run([READY]);
  expect(world.stub.requests.length).toBe(asked);
  world.reporter.forget('another');
  await world.run([READY]);
  expect(world.stub.requests.length).toBe(asked);
  world.reporter.forget(source().metadata.uid ?? '');
  await world.run([READY]);
  expect(world.stub.requests.length).toBe(asked * 2);
  expect(world.said).toHaveLength(2);
});

test('a forge that does not answer blocks no reconcile worker, and only a few sources at a time wait for it', async () => {
  let asked = 0;
  const silent = createServer(() => {
    asked += 1;
  });
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const world = await started();
  const apiUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const settings = { provider: 'github', secretRef: { name: 'forge' }, context: 'prod', apiUrl } as const;
  const run = new AbortController();
  let yielded = 0;
  const runs = Array.from({ length: 20 }, (_, at) => {
    const of = source({ commitStatus: settings });
    const one = told([FAILED], { source: { ...of, metadata: { ...of.metadata, uid: `uid-${at}` } } });
    return world.reporter.publish(one, run.signal, wait => {
      yielded += 1;
      return wait();
    });
  });
  await expect.poll(() => [yielded, asked]).toEqual([20, 8]);
  run.abort(new Error('the controller stops'));
  await expect(Promise.all(runs)).rejects.toThrow('the controller stops');
});
