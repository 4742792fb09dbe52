/** An HTTP+SSE backend has one session for a client, whose stream one replica has; the other replicas use it too. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { COUNT_TOOL, type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { backendsAreReady, Replicas } from './replicas.ts';
import { call, disposable, listen, openSession, post, reading, readResult } from './wire.ts';

const UPDATED = 'notifications/resources/updated';

/** The number of the backend's sessions without clients: each replica probes the backend in a session of its own. */
const AT_REST = 3;

interface Started extends AsyncDisposable {
  readonly backend: SdkServer;
  readonly replicas: Replicas;
  readonly urls: readonly [string, string, string];
}

async function start(more: { readonly tasks?: boolean } = {}): Promise<Started> {
  await using starting = new AsyncDisposableStack();
  const { peer: backend } = starting.use(
    await disposable<SdkServer>(startSdkServer({ transport: 'sse', tools: [COUNT_TOOL], ...more })),
  );
  const plan = backendPlan('one', backend.url, { transport: 'sse' });
  const replicas = starting.use(await Replicas.start({ backends: [plan] }));
  await Promise.all(replicas.replicas.map(backendsAreReady));
  const stack = starting.move();
  return {
    backend,
    replicas,
    urls: replicas.urls as [string, string, string],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function textOf(answer: Response): Promise<string> {
  const read = await readResult(answer);
  const { result } = read as { result?: { content: [{ text: string }] } };
  return result?.content[0].text ?? JSON.stringify(read);
}

/** The id of the server's request on a stream. */
function questionIn(read: { readonly text: string }): Promise<string> {
  return eventually(() => {
    const json = /^data: (\{.*elicitation\/create.*)$/m.exec(read.text)?.[1];
    return json === undefined ? undefined : (JSON.parse(json) as { id: string }).id;
  });
}

withPeers('redis-server').describe('with a backend over HTTP+SSE', () => {
  test('calls at every replica are in one session of an HTTP+SSE backend', async () => {
    await using started = await start();
    const { backend, urls } = started;
    const session = await openSession(urls[0]);
    const before = backend.initializations;
    for (let at = 0; at < 9; at++) {
      expect(await textOf(await post(urls[at % 3] as string, call(at, 'one_count'), session))).toBe(String(at + 1));
    }
    expect(backend.initializations - before).toBe(1);
    await fetch(urls[2], { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
    await eventually(() => backend.openSessions === AT_REST);
  });

  test('replicas that make the first calls to an HTTP+SSE backend at the same time agree on one session', async () => {
    await using started = await start();
    const { backend, urls } = started;
    const session = await openSession(urls[0]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, at) =>
        textOf(await post(urls[at % 3] as string, call(at, 'one_count'), session)),
      ),
    );
    const numbers = answers.map(Number).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
    await eventually(() => backend.openSessions === AT_REST + 1);
  });

  test('progress of an HTTP+SSE backend arrives on the stream of the call, and log messages on the GET stream of the client', async () => {
    await using started = await start();
    const { urls } = started;
    const [one, other, third] = urls;
    const session = await openSession(one);
    const stream = reading(await listen(third, session));
    expect(await textOf(await post(one, call(1, 'one_echo'), session))).toBe('{}');
    const asked = { ...call(2, 'one_progress').params, _meta: { progressToken: 'mine' } };
    const told = await (await post(other, { id: 2, method: 'tools/call', params: asked }, session)).text();
    expect(told.match(/notifications\/progress/g)).toHaveLength(3);
    await (await post(other, call(3, 'one_log'), session)).text();
    await eventually(() => stream.text.split('notifications/message').length === 5);
    expect(stream.text).not.toContain('notifications/progress');
  });

  test.each(['the stream of the call', 'the stream of the client'] as const)(
    'a question to a call at another replica than the HTTP+SSE stream arrives on %s, and the client answers it at a third replica',
    async where => {
      await using started = await start();
      const [one, other, third] = started.urls;
      const session = await openSession(one, { elicitation: {} });
      await (await post(one, call(1, 'one_echo'), session)).text();
      const standing = where === 'the stream of the client' ? reading(await listen(third, session)) : undefined;
      // Without an event of its own, the response to the call has no head before its end.
      const answering = post(other, call(2, 'one_elicit'), session);
      const own = standing === undefined ? reading((await answering).clone()) : undefined;
      const asking = (standing ?? own) as { text: string };
      const id = await questionIn(asking);
      const answer = { id, result: { action: 'accept', content: {} } };
      expect((await post(third, answer, session)).status).toBe(202);
      const answered = await (await answering).text();
      expect(answered).toContain('accept');
      const questions = [answered, asking.text].join('').split('elicitation/create').length - 1;
      expect(questions).toBe(standing === undefined ? 2 : 1); // The call's stream is read twice here.
    },
  );

  test('a client that calls an HTTP+SSE backend at one replica can cancel the call at another replica', async () => {
    await using started = await start();
    const { backend, urls } = started;
    const [one, other, third] = urls;
    const session = await openSession(one);
    await (await post(one, call(1, 'one_echo'), session)).text();
    void post(other, call(2, 'one_slow'), session).catch(() => {});
    await eventually(() => backend.slowCalls === 1);
    const params = { requestId: 2 };
    await (await post(third, { method: 'notifications/cancelled', params }, session)).text();
    await eventually(() => backend.cancelled === 1);
  });

  test('a client can read, wait for and cancel a task of an HTTP+SSE backend at other replicas', async () => {
    await using started = await start({ tasks: true });
    const { urls } = started;
    const [one, other, third] = urls;
    const session = await openSession(one);
    const params = { name: 'one_wait', arguments: { nonce: 1 }, task: { ttl: 60_000 } };
    const begun = await readResult(await post(one, { id: 1, method: 'tools/call', params }, session));
    const { taskId } = (begun as { result: { task: { taskId: string } } }).result.task;
    const ask = async (url: string, id: number, method: string) =>
      JSON.stringify(await readResult(await post(url, { id, method, params: { taskId } }, session)));
    expect(await ask(other, 2, 'tasks/get')).toContain(taskId);
    expect(await ask(third, 3, 'tasks/cancel')).toContain('cancelled');
  });

  test('when the replica with the HTTP+SSE stream dies, another replica opens a new session with the same log level and subscriptions', async () => {
    await using started = await start();
    const { backend, replicas, urls } = started;
    const [one, other, third] = urls;
    const uri = 'memo://one';
    const session = await openSession(one);
    await (await post(one, { id: 1, method: 'logging/setLevel', params: { level: 'error' } }, session)).text();
    await (await post(one, { id: 2, method: 'resources/subscribe', params: { uri } }, session)).text();
    expect(await textOf(await post(other, call(3, 'one_count'), session))).toBe('1');
    const under = post(other, call(4, 'one_slow'), session);
    await eventually(() => backend.slowCalls === 1);
    await replicas.kill(0);
    const stream = reading(await listen(third, session));
    expect(await textOf(await post(other, call(5, 'one_count'), session)), 'in a new session').toBe('1');
    const lost = await (await under).text();
    expect(lost, 'the call that ran is not left waiting').toContain('"error"');
    await eventually(async () => {
      await backend.update(uri);
      return stream.text.includes(UPDATED);
    });
    await (await post(third, call(6, 'one_log'), session)).text();
    await eventually(() => stream.text.includes('notifications/message'));
    expect(stream.text).not.toMatch(/"level":"(?!error)/);
    expect(backend.subscriptions, 'in one session').toEqual([uri]);
  });

  test('a replica that is replaced keeps its HTTP+SSE stream until the calls that other replicas made over this stream have answers', async () => {
    await using started = await start();
    const { replicas, urls } = started;
    const [one, other, third] = urls;
    const session = await openSession(one, { elicitation: {} });
    for (const count of [1, 2])
      expect(await textOf(await post(one, call(count, 'one_count'), session))).toBe(`${count}`);
    const answering = await post(other, call(3, 'one_elicit'), session);
    const id = await questionIn(reading(answering.clone()));
    const retiring = replicas.retire(0);
    const countAt = async (at: number, url: string) =>
      Number(await textOf(await post(url, call(at, 'one_count'), session)));
    let calls = 4;
    await eventually(async () => (await countAt(calls++, third)) === 1);
    await (await post(third, { id, result: { action: 'accept', content: {} } }, session)).text();
    expect(await textOf(answering)).toContain('accept');
    await retiring;
    expect(await countAt(calls, other), 'in the one new session').toBe(2);
  });

  test('an HTTP+SSE backend that has forgotten the session gets one new session, and calls continue at every replica', async () => {
    await using started = await start();
    const { backend, urls } = started;
    const session = await openSession(urls[0]);
    for (const [at, url] of urls.entries()) await (await post(url, call(at, 'one_count'), session)).text();
    backend.dropConnections();
    let last = 0;
    const countAt = async (at: number) =>
      Number(await textOf(await post(urls[at % 3] as string, call(10 + at, 'one_count'), session)));
    // A call at the moment of the loss may fail.
    let at = 0;
    await eventually(async () => {
      last = await countAt(at++);
      return last > 0;
    });
    for (const end = at + 6; at < end; at++) expect(await countAt(at), 'in one session').toBe(++last);
  });
});
