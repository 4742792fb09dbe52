/**
 * What a caller can do to the sessions, streams, elicitations, calls and tasks of another caller, if it has guessed or seen their ids, at any
 * process of the gateway. The same table is for one process and for replicas.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BundleOptions, backendPlan, eventually } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { type ScriptedProvider, startScriptedProvider } from '../auth/incoming/scripted-provider.ts';
import { call, openSession, post, reading, readResult } from '../scale-out/wire.ts';
import { StatelessClient } from '../workflows/stateless-client.ts';
import { workflow } from '../workflows/support.ts';

/** A gateway that one or more processes serve. */
export interface Served extends AsyncDisposable {
  /** The URL at which the caller makes its requests, and the URL at which others make theirs. */
  readonly urls: readonly [own: string, others: string];
}

type Headers = Readonly<Record<string, string>>;

const ASKING = workflow(`
name: asking
description: Asks, then calls
steps:
  - { id: ask, type: elicitation, message: "Go on?", schema: { type: object, properties: { name: { type: string } } } }
  - { id: last, tool: one_echo, dependsOn: [ask], arguments: { done: "yes" } }
`);

const ANSWERS = { ask: { action: 'accept', content: { name: 'x' } } };

export function suiteOfOtherCallers(start: (bundle: BundleOptions) => Promise<Served>): void {
  const stack = new AsyncDisposableStack();
  let served: Served;
  let backend: SdkServer;
  let company: ScriptedProvider;
  let partner: ScriptedProvider;
  let own: string;
  let others: string;
  let ann: Headers;

  const as = async (sub: string, idp = company, claims: object = {}): Promise<Headers> => ({
    Authorization: `Bearer ${await idp.sign({ sub, ...claims })}`,
  });
  const session = async (headers: Headers, url = own) => openSession(url, { elicitation: {} }, headers);
  /** Opens a stream of a session with these headers, which may be another caller's. */
  const listenAs = (url: string, id: string, headers: Headers, lastEventId?: string, signal?: AbortSignal) =>
    fetch(url, {
      ...(signal === undefined ? {} : { signal }),
      headers: {
        Accept: 'text/event-stream',
        'Mcp-Session-Id': id,
        ...headers,
        ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
      },
    });

  /** The text of a stream that continues after an event, until a further request is answered, because the stream may stay open. */
  const peek = async (url: string, id: string, headers: Headers, lastEventId: string): Promise<string> => {
    const stop = new AbortController();
    const answer = await listenAs(url, id, headers, lastEventId, stop.signal);
    const read = reading(answer);
    await (await post(url, { id: 1, method: 'ping' }, id, headers)).text();
    stop.abort();
    return read.text;
  };

  beforeAll(async () => {
    [company, partner, backend] = await Promise.all([
      startScriptedProvider(),
      startScriptedProvider(),
      startSdkServer({ transport: 'streamable-http', tasks: true }),
    ]);
    for (const peer of [company, partner, backend]) stack.defer(() => peer.close());
    served = stack.use(
      await start({
        backends: [backendPlan('one', backend.url)],
        incomingAuth: authPlan([providerPlan(company), providerPlan(partner, { name: 'partner' })]),
        workflows: [ASKING],
      }),
    );
    [own, others] = served.urls;
    ann = await as('ann');
  });
  afterAll(() => stack.disposeAsync());

  describe('a caller who knows the id of the session of another caller', () => {
    const strangers: readonly (readonly [who: string, headers: () => Promise<Headers>, status: number])[] = [
      ['another caller', () => as('bob'), 403],
      ['a caller of the same name at another issuer', () => as('ann', partner), 403],
      ['a caller without a token', async () => ({}), 401],
      ['a caller with an invalid token', async () => ({ Authorization: 'Bearer nonsense' }), 401],
      ['a caller whose token has expired', () => as('ann', company, { exp: Math.floor(Date.now() / 1000) - 10 }), 401],
    ];
    const requests: readonly (readonly [what: string, send: (id: string, headers: Headers) => Promise<Response>])[] = [
      ['a call', (id, headers) => post(others, call(9, 'one_echo', { secret: 1 }), id, headers)],
      ['a list', (id, headers) => post(others, { id: 9, method: 'tools/list' }, id, headers)],
      [
        'a cancellation',
        (id, headers) => post(others, { method: 'notifications/cancelled', params: { requestId: 1 } }, id, headers),
      ],
      ['a response to a request', (id, headers) => post(others, { id: 1, result: {} }, id, headers)],
      ['a batch', (id, headers) => fetch(others, batch(id, headers))],
      ['a second initialize', (id, headers) => post(others, { id: 9, method: 'initialize', params: {} }, id, headers)],
      ['the standing stream', (id, headers) => listenAs(others, id, headers)],
      ['a resumed stream', (id, headers) => listenAs(others, id, headers, '1.1-0')],
      [
        'a request to end the session',
        (id, headers) => fetch(others, { method: 'DELETE', headers: { 'Mcp-Session-Id': id, ...headers } }),
      ],
    ];
    const cells = strangers.flatMap(([who, headers, status]) =>
      requests.map(([what, send]) => ({ who, what, headers, send, status })),
    );

    test.each(cells)('$who who knows a session id gets nothing by $what', async ({ headers, send, status }) => {
      const id = await session(ann);
      await (await post(own, call(1, 'one_echo', { secret: 'of ann' }), id, ann)).text();
      const answer = await send(id, await headers());
      expect(answer.status).toBe(status);
      expect(await answer.text()).not.toContain('of ann');
      // A session id in the hands of another known caller has leaked, so the session ends. An unauthenticated caller changes nothing.
      const statusOfAnn = async () => (await post(own, { id: 2, method: 'ping' }, id, ann)).status;
      if (status === 401) expect(await statusOfAnn()).toBe(200);
      else await eventually(async () => (await statusOfAnn()) === 404);
    });

    test.each([
      ['in upper case', (id: string) => id.toUpperCase()],
      ['without its last character', (id: string) => id.slice(0, -1)],
      ['that is sent twice', (id: string) => `${id}, ${id}`],
      ['after a path', (id: string) => `../${id}`],
    ])('a changed session id finds no session: an id %s', async (_, spelt) => {
      const id = await session(ann);
      expect((await post(own, { id: 1, method: 'ping' }, spelt(id), ann)).status).toBe(404);
      expect((await post(own, { id: 1, method: 'ping' }, spelt(id), await as('bob'))).status).toBe(404);
      expect((await post(own, { id: 1, method: 'ping' }, id, ann)).status).toBe(200);
    });

    function batch(id: string, headers: Headers): RequestInit {
      return {
        method: 'POST',
        headers: {
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
          'Mcp-Session-Id': id,
          ...headers,
        },
        body: `[${JSON.stringify({ jsonrpc: '2.0', ...call(9, 'one_echo') })}]`,
      };
    }
  });

  describe('another caller in a session of its own', () => {
    test('a caller cannot cancel a call in the session of another caller', async () => {
      const [mine, theirs] = [await session(ann), await session(await as('bob'), others)];
      const { slowCalls, cancelled } = backend;
      const stop = new AbortController();
      const answer = fetch(own, {
        method: 'POST',
        signal: stop.signal,
        headers: {
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
          'Mcp-Session-Id': mine,
          ...ann,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...call(7, 'one_slow') }),
      }).then(
        response => response.text(),
        () => 'cut',
      );
      await eventually(() => backend.slowCalls === slowCalls + 1);
      const bob = await as('bob');
      const cancel = { method: 'notifications/cancelled', params: { requestId: 7 } };
      for (const url of [own, others]) expect((await post(url, cancel, theirs, bob)).status).toBe(202);
      // A later request is answered, so the gateway has handled the cancellation.
      await (await post(others, call(1, 'one_echo'), theirs, bob)).text();
      expect(backend.cancelled).toBe(cancelled);
      await post(others, cancel, mine, ann);
      await eventually(() => backend.cancelled === cancelled + 1);
      stop.abort();
      await answer;
    });

    test('a caller can neither answer nor cancel a question in the session of another caller', async () => {
      const bob = await as('bob');
      const [mine, theirs] = [await session(ann), await session(bob, others)];
      const asked = reading(await post(own, call(3, 'one_elicit', { message: 'Who?' }), mine, ann));
      const question = await eventually(
        () => /^data: (\{.*"method":"elicitation\/create".*\})$/m.exec(asked.text)?.[1],
      );
      const { id } = JSON.parse(question) as { id: unknown };
      for (const url of [own, others]) {
        await (await post(url, { id, result: { action: 'accept', content: { name: 'bob' } } }, theirs, bob)).text();
        await (await post(url, { id, error: { code: -1, message: 'no' } }, theirs, bob)).text();
        await (
          await post(url, { method: 'notifications/progress', params: { progressToken: id, progress: 1 } }, theirs, bob)
        ).text();
      }
      expect((await post(own, { id, result: { action: 'accept', content: { name: 'ann' } } }, mine, ann)).status).toBe(
        202,
      );
      await eventually(() => asked.text.includes('"id":3'));
      expect(asked.text).toContain('ann');
      expect(asked.text).not.toContain('bob');
    });

    test('a caller gets no event of a stream in the session of another caller', async () => {
      const bob = await as('bob');
      const [mine, theirs] = [await session(ann), await session(bob, others)];
      const progress = { name: 'one_progress', arguments: {}, _meta: { progressToken: 'of ann' } };
      const whole = await (await post(own, { id: 7, method: 'tools/call', params: progress }, mine, ann)).text();
      const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string);
      expect(ids.length).toBeGreaterThan(2);
      for (const url of [own, others]) {
        for (const id of ids) expect(await peek(url, theirs, bob, id)).not.toMatch(/of ann|"done"/);
      }
      // The owner still gets its events.
      expect(await (await listenAs(others, mine, ann, ids[0])).text()).toContain('of ann');
    });

    test.each([
      ['of a GET stream', '1-0'],
      ['of the end of a GET stream', '1-end'],
      ['of another replica', '999999999.1-3'],
      ['of a request with a string as id', '1.~IjEi-0'],
      ['with a sign', '-1-0'],
      ['with a character beyond ASCII', '1.1-0\u00e9'],
      ['that is too long', '0'.repeat(4000)],
    ])('a caller gets nothing of another session by a made-up event id %s', async (_, id) => {
      const bob = await as('bob');
      const theirs = await session(bob);
      expect(await peek(own, theirs, bob, id)).not.toContain('result');
    });

    test('a caller can neither read nor cancel a task of another caller', async () => {
      const bob = await as('bob');
      const [mine, theirs] = [await session(ann), await session(bob, others)];
      const work = { name: 'one_work', arguments: { of: 'ann' }, task: { ttl: 60_000 } };
      const made = (await readResult(await post(own, { id: 1, method: 'tools/call', params: work }, mine, ann))) as {
        result?: { task: { taskId: string } };
      };
      const taskId = made.result?.task.taskId ?? '';
      expect(taskId).not.toBe('');
      for (const url of [own, others]) {
        for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
          const answer = await readResult(await post(url, { id: 2, method, params: { taskId } }, theirs, bob));
          expect(answer, method).toMatchObject({ error: { code: -32602 } });
        }
        const listed = await readResult(await post(url, { id: 3, method: 'tasks/list', params: {} }, theirs, bob));
        expect(JSON.stringify(listed)).not.toContain(taskId);
      }
      expect(
        await readResult(await post(own, { id: 4, method: 'tasks/get', params: { taskId } }, mine, ann)),
      ).toMatchObject({ result: { taskId } });
    });
  });

  describe('a requestState', () => {
    const client = (url: string, headers: Headers) => new StatelessClient(url, { elicitation: {} }, headers);
    const asked = async () => (await client(own, ann).call('asking', {})).result?.requestState ?? '';
    const refused = async (url: string, headers: Headers, requestState: string) => {
      const answer = await client(url, headers).call('asking', {}, { requestState, inputResponses: ANSWERS });
      expect(answer.result).toBeUndefined();
      expect(answer.error?.code).toBe(-32602);
    };
    const accepted = async (requestState: string) => {
      const more = { requestState, inputResponses: ANSWERS };
      expect((await client(others, ann).call('asking', {}, more)).result?.resultType).toBe('complete');
    };

    test.each<[string, () => Promise<Headers>]>([
      ['another caller', () => as('bob')],
      ['a caller of the same name at another issuer', () => as('ann', partner)],
    ])('a requestState is refused from %s', async (_, headers) => {
      const state = await asked();
      for (const url of [own, others]) await refused(url, await headers(), state);
      await accepted(state);
    });

    test('a requestState is accepted only once', async () => {
      const state = await asked();
      await accepted(state);
      for (const url of [own, others]) await refused(url, ann, state);
    });

    test.each<[string, (state: string) => string]>([
      ['cut at its end', state => state.slice(0, -1)],
      ['cut at its beginning', state => state.slice(1)],
      ['changed in the middle', state => state.slice(0, 20) + (state[20] === 'A' ? 'B' : 'A') + state.slice(21)],
      ['that is doubled', state => state + state],
      ['that is empty', () => ''],
      ['with the prefix of another kind', state => state.replace('lintel-w.', 'lintel-c.')],
      ['that is too long', state => state + 'A'.repeat(100_000)],
    ])('a changed requestState is refused, and the original stays valid: a requestState %s', async (_, changed) => {
      const state = await asked();
      await refused(own, ann, changed(state));
      await accepted(state);
    });
  });
}
