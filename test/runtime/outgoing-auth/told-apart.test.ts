/** What a backend lists to one caller is never shown to another: neither names and definitions, nor where calls go, nor that it changed. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BackendToolPlan, TokenAuthPlan } from '#schemas';
import type { OfferedItems } from '../../../runtime/gateway/offers/offered-items.ts';
import { eventually } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { CLIENT_KINDS, connect, startTokenEndpoint } from './harness.ts';
import { startGatewayFor, startTelling } from './telling-backend.ts';

let idp: IdentityProvider;
let incomingAuth: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  incomingAuth = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());

const BARE: BackendToolPlan = { prefix: '', advertise: { type: 'all' }, overrides: {} };
const FIRST_WINS = { strategy: 'priority', priorityOrder: ['s1', 's2'] } as const;
const health = (intervalMs: number) => ({ health: { intervalMs, timeoutMs: 60_000, unhealthyThreshold: 1 } });

const DEPLOY: OfferedItems = {
  tools: [{ name: 'deploy', inputSchema: { type: 'object' } }],
  prompts: [{ name: 'deploy' }],
  resources: [{ uri: 'memo://deploy', name: 'deploy' }],
  resourceTemplates: [{ uriTemplate: 'memo://{name}', name: 'memos' }],
};

/** `s1` comes first, lists its tools only to this caller, and nothing to others; `s2` lists the same names to all. */
async function startRivals(told: string, refused?: string) {
  const { plan: auth } = await startTokenEndpoint();
  const offering = (caller?: string) =>
    caller === undefined || caller === refused ? undefined : caller === told ? DEPLOY : {};
  const s1 = await startTelling('s1', offering, { auth, tools: BARE });
  const s2 = await startTelling('s2', () => DEPLOY, { tools: BARE });
  const backends = [s1.plan, s2.plan];
  const bundle = { backends, aggregation: FIRST_WINS, operational: health(60_000) };
  return { s1, s2, ...(await startGatewayFor(idp, incomingAuth, bundle)) };
}

const argument = { name: 'a', value: '' };
/** A listed item, and a request for it. */
const NAMED: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['tools/list', 'tools/call', { name: 'deploy', arguments: {} }],
  ['prompts/list', 'prompts/get', { name: 'deploy' }],
  ['resources/list', 'resources/read', { uri: 'memo://deploy' }],
  ['resources/templates/list', 'resources/read', { uri: 'memo://other' }],
  ['prompts/list', 'completion/complete', { ref: { type: 'ref/prompt', name: 'deploy' }, argument }],
  [
    'resources/templates/list',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'memo://{name}' }, argument },
  ],
];

describe.each(CLIENT_KINDS)('callers of kind %s', kind => {
  test.each(NAMED)(
    '%s of one caller does not change the result of a %s of another caller',
    async (list, method, params) => {
      const { callerOf } = await startRivals('mallory');
      const [ann, mallory] = [await callerOf(kind, 'ann'), await callerOf(kind, 'mallory')];
      const listed = await ann.send(list);
      expect(listed).toMatch(/deploy|memo/);
      expect(await ann.send(method, params)).toContain('ran at s2');
      expect(await mallory.send(list)).toBe(listed);
      expect(await mallory.send(method, params)).toContain('ran at s1 for mallory');
      expect(await ann.send(list)).toBe(listed);
      expect(await ann.send(method, params)).toContain('ran at s2');
    },
  );

  test.each(NAMED)(
    'the gateway reads the %s of a caller before the first %s of that caller',
    async (_, method, params) => {
      const { callerOf } = await startRivals('bob');
      const bob = await callerOf(kind, 'bob');
      expect(await bob.send(method, params)).toContain('ran at s1 for bob');
    },
  );

  test.each(NAMED)(
    'a name that only one caller has in the %s is unknown to a %s of another caller',
    async (list, method, params) => {
      const { plan: auth } = await startTokenEndpoint();
      const s = await startTelling('s', caller => (caller === undefined ? undefined : caller === 'ann' ? DEPLOY : {}), {
        auth,
        tools: BARE,
      });
      const { callerOf } = await startGatewayFor(idp, incomingAuth, { backends: [s.plan] });
      const [ann, bob] = [await callerOf(kind, 'ann'), await callerOf(kind, 'bob')];
      await ann.send(list);
      expect(await ann.send(method, params)).toContain('ran at s for ann');
      const refused = await bob.send(method, params);
      expect(refused).toMatch(/unknown (tool|prompt)|not found/);
      const other = JSON.parse(JSON.stringify(params).replaceAll('deploy', 'absent').replaceAll('memo:', 'none:'));
      const text = (await bob.send(method, other)).replaceAll('absent', 'deploy').replaceAll('none:', 'memo:');
      expect(refused).toBe(text);
      expect(await bob.send(list)).not.toMatch(/deploy|memo/);
      expect(s.asked.filter(one => one.endsWith(' bob') && one.startsWith(method))).toEqual([]);
    },
  );

  test('each caller still gets the definitions of its own list after another caller has read a different list', async () => {
    const { plan: auth } = await startTokenEndpoint();
    const projectsOf = (whose: string): Partial<OfferedItems> => {
      const inputSchema = { type: 'object', properties: { project: { enum: [`secret of ${whose}`] } } };
      return {
        tools: [{ name: 'pick', description: `projects of ${whose}`, inputSchema }],
        prompts: [{ name: 'pick', description: `projects of ${whose}` }],
        resources: [{ uri: 'memo://pick', name: `projects of ${whose}` }],
        resourceTemplates: [{ uriTemplate: 'memo://{pick}', name: `projects of ${whose}` }],
      };
    };
    const s = await startTelling('s', caller => (caller === undefined ? undefined : projectsOf(caller)), { auth });
    const { callerOf } = await startGatewayFor(idp, incomingAuth, { backends: [s.plan] });
    const callers = [await callerOf(kind, 'ann'), await callerOf(kind, 'bob')];
    for (const list of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const first = await Promise.all(callers.map(caller => caller.send(list)));
      expect(
        first.map(text => [...new Set(text.match(/(projects|secret) of \w+/g))].map(said => said.slice(-3))),
      ).toEqual(
        list === 'tools/list'
          ? [
              ['ann', 'ann'],
              ['bob', 'bob'],
            ]
          : [['ann'], ['bob']],
      );
      expect(await Promise.all(callers.map(caller => caller.send(list)))).toEqual(first);
    }
  });

  test('a caller whose credential one backend refuses waits for that backend once, and still gets the tools of the other backends', async () => {
    const { s1, callerOf } = await startRivals('bob', 'ann');
    const ann = await callerOf(kind, 'ann');
    const call = ['tools/call', { name: 'deploy', arguments: {} }] as const;
    const attempts = () =>
      s1.server.requests.filter(({ headers }) => headers.authorization === 'Bearer for-ann').length;
    expect(await ann.send(...call)).toContain('ran at s2');
    const before = attempts();
    expect(before).toBeGreaterThan(0);
    for (let i = 0; i < 3; i++) expect(await ann.send(...call)).toContain('ran at s2');
    expect(attempts()).toBe(before);
  });

  test('a caller keeps its own list while the backend is unavailable', async () => {
    const { s1, gateway, callerOf } = await startRivals('ann');
    const [ann, bob] = [await callerOf(kind, 'ann'), await callerOf(kind, 'bob')];
    const call = ['tools/call', { name: 'deploy', arguments: {} }] as const;
    expect(await ann.send(...call)).toContain('ran at s1 for ann');
    expect(await bob.send(...call)).toContain('ran at s2');
    await s1.server.close();
    // The call itself finds the closed port, and triggers a probe.
    await ann.send(...call);
    await eventually(async () => (await gateway.status()).backends[0]?.status === 'unavailable');
    expect(await ann.send(...call)).toContain('"backend":"s1"');
    expect(await ann.send('tools/list')).not.toContain('deploy');
    expect(await bob.send(...call)).toContain('ran at s2');
    expect(await bob.send('tools/list')).toContain('deploy');
  });
});

test('a caller gets no notification about the lists of other callers, however often they change', async () => {
  const { plan: auth } = await startTokenEndpoint();
  const words = new Map<string, string>();
  const prompts = new Map<string, number>();
  const offering = (caller?: string): Partial<OfferedItems> | undefined => {
    if (caller === undefined) return undefined;
    const description = `projects of ${caller} ${words.get(caller) ?? ''}`;
    return {
      tools: [{ name: 'pick', description, inputSchema: { type: 'object' } }],
      prompts: [{ name: `prompt-${prompts.get(caller)}` }],
    };
  };
  const s = await startTelling('s', offering, { auth });
  const { gateway } = await startGatewayFor(idp, incomingAuth, { backends: [s.plan], operational: health(200) });
  const callers = await Promise.all(
    ['ann', 'bob', 'eve', 'dan'].map(async sub => {
      const token = await idp.issue({ claims: { sub } });
      return { sub, client: await connect('session', gateway.url, () => ({ authorization: `Bearer ${token}` })) };
    }),
  );
  const often = { timeout: 10_000, interval: 50 };
  /** Resolves when every client has received its notifications: a later change of prompts marks the end. */
  const allHeard = () =>
    Promise.all(
      callers.map(({ sub, client }) => {
        const before = client.notified.length;
        return vi.waitFor(async () => {
          prompts.set(sub, (prompts.get(sub) ?? 0) + 1);
          await client.tools();
          expect(client.notified.slice(before)).toContain('notifications/prompts/list_changed');
        }, often);
      }),
    );
  await allHeard();
  const before = callers.map(({ client }) => client.notified.length);
  words.set('ann', 'and more');
  const asked = () => s.asked.filter(one => one.startsWith('tools/list')).length;
  const start = asked();
  await vi.waitFor(async () => {
    for (const { client } of callers) await client.tools();
    expect(asked() - start).toBeGreaterThanOrEqual(12);
  }, often);
  await allHeard();
  const ofTools = callers.map(({ client }, at) =>
    client.notified.slice(before[at]).filter(method => method === 'notifications/tools/list_changed'),
  );
  expect(ofTools.map(({ length }) => length)).toEqual([1, 0, 0, 0]);
});

describe('resources that only one caller sees', () => {
  const memoOf = (caller?: string): Partial<OfferedItems> | undefined =>
    caller === undefined ? undefined : { resources: [{ uri: `memo://${caller}`, name: 'own' }] };

  test('the first subscriptions/listen of a caller acknowledges the resource that only this caller sees, and not those of other callers', async () => {
    const { plan: auth } = await startTokenEndpoint();
    const s = await startTelling('s', memoOf, { auth });
    const { gateway, callerOf } = await startGatewayFor(idp, incomingAuth, { backends: [s.plan] });
    const honouredFor = async (sub: string) => {
      const { token } = await callerOf('stateless', sub);
      const resourceSubscriptions = ['memo://ann', 'memo://bob', 'memo://nobody'];
      const params = { notifications: { resourceSubscriptions } };
      const request = { method: 'subscriptions/listen', params, headers: { Authorization: `Bearer ${token}` } };
      const headers = { ...findHeaders(request), Accept: 'application/json, text/event-stream' };
      const stop = new AbortController();
      const answer = await fetch(gateway.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
        body: formatRequest(request),
        signal: stop.signal,
      });
      const { value } = (await answer.body?.getReader().read()) ?? {};
      stop.abort();
      return new TextDecoder().decode(value);
    };
    expect(await honouredFor('ann')).toContain('"resourceSubscriptions":["memo://ann"]');
    expect(await honouredFor('bob')).toContain('"resourceSubscriptions":["memo://bob"]');
    expect(s.asked.filter(one => one.startsWith('resources/subscribe'))).toEqual([
      'resources/subscribe ann',
      'resources/subscribe bob',
    ]);
  });

  test('after a new bundle, the gateway renews the subscription of a caller to a resource that only this caller sees', async () => {
    const { plan: auth } = await startTokenEndpoint();
    const s = await startTelling('s', memoOf, { auth });
    const { gateway, callerOf } = await startGatewayFor(idp, incomingAuth, { backends: [s.plan] });
    const ann = await callerOf('session', 'ann');
    await ann.send('resources/subscribe', { uri: 'memo://ann' });
    await gateway.replace({ backends: [{ ...s.plan, timeoutMs: 4_000 }], incomingAuth });
    const subscribed = () => s.asked.filter(one => one === 'resources/subscribe ann').length;
    await eventually(() => subscribed() === 2);
  });
});

test('/status counts the different items of all callers together, and shows the withheld items', async () => {
  const { plan: auth } = await startTokenEndpoint();
  const inputSchema = { type: 'object' };
  const offering = (caller?: string): Partial<OfferedItems> | undefined => {
    const broken = { name: 'broken', inputSchema: { type: 'int' } };
    if (caller === undefined) return undefined;
    return { tools: [{ name: 'common', inputSchema }, { name: `own-${caller}`, inputSchema }, broken] };
  };
  const tools = { ...BARE, overrides: { 'own-ann': {}, misspelt: {} } };
  const s = await startTelling('s', offering, { auth, tools });
  const { gateway, callerOf } = await startGatewayFor(idp, incomingAuth, { backends: [s.plan] });
  expect(await gateway.status()).toMatchObject({ counts: { tools: 0 }, withheld: [], idle: [] });
  for (const sub of ['bob', 'ann']) await (await callerOf('session', sub)).send('tools/list');
  expect(await gateway.status()).toMatchObject({
    counts: { tools: 3 },
    withheld: [{ backend: 's', name: 'broken', reason: 'invalid_schema' }],
    idle: [{ backend: 's', setting: 'override', tool: 'misspelt' }],
  });
});
