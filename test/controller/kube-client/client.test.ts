import { afterEach, describe, expect, test } from 'vitest';
import {
  type Clock,
  createKubeClient,
  type DisposableKubeClient,
  type KubeClientOptions,
  type KubeConfig,
  KubeError,
  RateLimit,
} from '../../../controller/kube/index.ts';
import { type RawHandler, type RawServer, startRawServer } from '../../support/raw-server.ts';
import { TestClock } from '../../support/test-clock.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const KEY = { ...CONFIG_MAP, namespace: 'team', name: 'a' };

interface Setup {
  readonly server: RawServer;
  readonly client: DisposableKubeClient;
  readonly forgotten: () => number;
}

/** A client of a server with scripted responses. Retries do not wait, because the clock jumps. */
async function setUp(handler: RawHandler, options: Partial<KubeClientOptions> = {}, prefix = ''): Promise<Setup> {
  const server = await startRawServer(handler);
  let forgotten = 0;
  const config: KubeConfig = {
    server: `${server.origin}${prefix}`,
    namespace: 'default',
    isInsecure: false,
    warnings: [],
    authorities: async () => undefined,
    credentials: async () => ({ authorization: `Bearer token-${forgotten}` }),
    forget: () => {
      forgotten++;
    },
  };
  const clock = {
    now: () => 0,
    date: () => new Date(0),
    after: atOnce(() => {}),
  };
  const client = createKubeClient(config, { userAgent: 'test', clock, random: () => 0.5, ...options });
  cleanups.push(async () => {
    await client.close();
    server.dropConnections();
    await server.close();
  });
  return { server, client, forgotten: () => forgotten };
}

/** A clock's `after` that reports the requested wait to the test and fires at once. */
function atOnce(hear: (ms: number) => void): Clock['after'] {
  return (ms, call) => {
    hear(ms);
    queueMicrotask(call);
    return () => {};
  };
}

function answers(...steps: readonly (readonly [number, unknown, Record<string, string>?])[]): RawHandler {
  let index = 0;
  return (_request, response) => {
    const [code, body, headers = {}] = steps[Math.min(index++, steps.length - 1)] ?? [500, {}];
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

const OBJECT = { ...CONFIG_MAP, metadata: { name: 'a', namespace: 'team', resourceVersion: '7' } };

function refusal(code: number, reason: string, message: string, details: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details };
}

async function failureOf(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    () => undefined,
    error => error,
  );
  expect(error).toBeInstanceOf(KubeError);
  return error;
}

describe('requests', () => {
  const GATEWAY = { apiVersion: 'toolhive.stacklok.dev/v1alpha1', kind: 'VirtualMCPServer' };
  const rows: readonly [string, (client: DisposableKubeClient) => Promise<unknown>, string, unknown?][] = [
    ['get', client => client.get(KEY), 'GET /api/v1/namespaces/team/configmaps/a'],
    [
      'get of a kind of another accepted group',
      client => client.get({ ...GATEWAY, namespace: 'team', name: 'g' }),
      'GET /apis/toolhive.stacklok.dev/v1alpha1/namespaces/team/virtualmcpservers/g',
    ],
    [
      'get of a cluster-wide object',
      client => client.get({ apiVersion: 'v1', kind: 'Namespace', name: 'team' }),
      'GET /api/v1/namespaces/team',
    ],
    [
      'apply',
      client => client.apply(OBJECT, { fieldManager: 'lintel', force: true }),
      'PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=lintel&force=true',
      OBJECT,
    ],
    [
      'trying to apply',
      client => client.apply(OBJECT, { fieldManager: 'lintel', dryRun: true }),
      'PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=lintel&dryRun=All',
      OBJECT,
    ],
    [
      'applying status',
      client => client.apply(OBJECT, { fieldManager: 'lintel-status', force: true, subresource: 'status' }),
      'PATCH /api/v1/namespaces/team/configmaps/a/status?fieldManager=lintel-status&force=true',
      OBJECT,
    ],
    ['create', client => client.create(OBJECT), 'POST /api/v1/namespaces/team/configmaps', OBJECT],
    ['replace', client => client.replace(OBJECT), 'PUT /api/v1/namespaces/team/configmaps/a', OBJECT],
    [
      'patching status',
      client => client.patch(KEY, { status: null }, { subresource: 'status', fieldManager: 'x y' }),
      'PATCH /api/v1/namespaces/team/configmaps/a/status?fieldManager=x+y',
      { status: null },
    ],
    [
      'delete of one very object',
      client => client.delete(KEY, { uid: 'u1', propagation: 'Background' }),
      'DELETE /api/v1/namespaces/team/configmaps/a',
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u1' },
        propagationPolicy: 'Background',
      },
    ],
    [
      'a name that needs quoting',
      client => client.get({ ...KEY, name: '../pods?a' }),
      'GET /api/v1/namespaces/team/configmaps/..%2Fpods%3Fa',
    ],
  ];

  test.each(rows)('the Kubernetes client sends the right method and path: %s', async (_name, call, expected, body) => {
    const { server, client } = await setUp(answers([200, OBJECT]));
    await call(client);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([expected]);
    if (body !== undefined) expect(server.requests[0]?.message).toEqual(body);
  });

  test('the Kubernetes client sends a server-side apply with content type application/apply-patch+yaml', async () => {
    const { server, client } = await setUp(answers([200, OBJECT]));
    await client.apply(OBJECT, { fieldManager: 'lintel' });
    expect(server.requests[0]?.headers['content-type']).toBe('application/apply-patch+yaml');
  });

  test('the Kubernetes client reaches an API server below a path, as behind a proxy of a management tool', async () => {
    const { server, client } = await setUp(answers([200, OBJECT]), {}, '/k8s/clusters/c-1');
    await client.get(KEY);
    expect(server.requests[0]?.path).toBe('/k8s/clusters/c-1/api/v1/namespaces/team/configmaps/a');
  });

  test('the Kubernetes client can impersonate a ServiceAccount', async () => {
    const { server, client } = await setUp(answers([200, OBJECT]));
    await client.as({ namespace: 'team', name: 'deployer' }).get(KEY);
    await client.get(KEY);
    const [as, own] = server.requests.map(({ headers }) => headers);
    expect(as?.['impersonate-user']).toBe('system:serviceaccount:team:deployer');
    expect(as?.authorization).toBe('Bearer token-0');
    expect(own?.['impersonate-user']).toBeUndefined();
  });

  test.each([
    ['without a namespace', { ...CONFIG_MAP, name: 'a' }, 'ConfigMap a: its namespace is not known'],
    ['without a name', { ...KEY, name: '' }, 'ConfigMap: an object without a name'],
    ['of an unknown type', { ...KEY, kind: 'Gadget' }, 'no REST path is known for v1 Gadget'],
  ])('the Kubernetes client sends no request for an object %s', async (_name, key, message) => {
    const { server, client } = await setUp(answers([200, OBJECT]));
    await expect(client.get(key)).rejects.toThrow(message);
    expect(server.requests).toEqual([]);
  });
});

describe('refusals', () => {
  test.each([
    [400, 'BadRequest', 'invalid'],
    [403, 'Forbidden', 'forbidden'],
    [404, 'NotFound', 'notFound'],
    [409, 'Conflict', 'conflict'],
    [409, 'AlreadyExists', 'alreadyExists'],
    [410, 'Expired', 'gone'],
    [413, 'RequestEntityTooLarge', 'invalid'],
    [422, 'Invalid', 'invalid'],
    [429, 'TooManyRequests', 'tooManyRequests'],
    [500, 'InternalError', 'unavailable'],
    [503, 'ServiceUnavailable', 'unavailable'],
    [504, 'Timeout', 'unavailable'],
  ])('the Kubernetes client turns HTTP %i %s into the failure %s', async (code, reason, failure) => {
    const { client } = await setUp(answers([code, refusal(code, reason, 'no, since')]));
    const error = await failureOf(client.create(OBJECT));
    expect(error).toMatchObject({ failure, status: code, reason, call: 'create ConfigMap team/a' });
    expect(error.message).toBe('create ConfigMap team/a: no, since');
  });

  test('the error for credentials that the API server does not accept says which credentials to renew', async () => {
    const { client } = await setUp(answers([401, refusal(401, 'Unauthorized', 'Unauthorized')]));
    const error = await failureOf(client.create(OBJECT));
    expect(error).toMatchObject({ failure: 'unauthorized', status: 401, reason: 'Unauthorized' });
    expect(error.message).toBe(
      'create ConfigMap team/a: Unauthorized; the API server does not accept the credentials of the controller: renew the token or the client certificate of the kubeconfig, or check whether the ServiceAccount of the pod still exists',
    );
  });

  test('an error of the Kubernetes client has the causes of the Status', async () => {
    const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl"', field: '.spec.replicas' }];
    const { client } = await setUp(answers([409, refusal(409, 'Conflict', 'Apply failed', { causes })]));
    expect((await failureOf(client.apply(OBJECT, { fieldManager: 'lintel' }))).causes).toEqual(causes);
  });

  test('for a missing object the Kubernetes client returns undefined from a get, and false from a deletion', async () => {
    const { client } = await setUp(answers([404, refusal(404, 'NotFound', 'configmaps "a" not found')]));
    expect(await client.get(KEY)).toBeUndefined();
    expect(await client.delete(KEY)).toBe(false);
  });

  test.each([
    ['404 page not found\n'],
    [JSON.stringify(refusal(404, 'NotFound', 'the server could not find the requested resource'))],
  ])('the Kubernetes client fails for a type that is not served, instead of returning undefined: %s', async body => {
    const { client } = await setUp(answers([404, body]));
    expect(await failureOf(client.get(KEY))).toMatchObject({ failure: 'notFound', isUnserved: true });
    expect(await failureOf(client.delete(KEY))).toMatchObject({ isUnserved: true });
  });

  test('the error of the Kubernetes client quotes the beginning of an answer that is not a Status', async () => {
    const { client } = await setUp(answers([403, `<html>${'x'.repeat(5_000)}`]));
    const { message } = await failureOf(client.create(OBJECT));
    expect(message).toMatch(/^create ConfigMap team\/a: HTTP 403 <html>x+…$/);
    expect(message.length).toBeLessThan(2_100);
  });

  test.each([['[]'], ['null'], ['<html>'], ['{"kind":"x"}']])(
    'the Kubernetes client fails at an answer that is not an object: %s',
    async body => {
      const { client } = await setUp(answers([200, body]));
      expect((await failureOf(client.get(KEY))).failure).toBe('unexpected');
    },
  );

  test('the error for an API server that cannot be reached has its address and not the token', async () => {
    const { server, client } = await setUp(answers([200, OBJECT]));
    server.dropConnections();
    await server.close();
    const error = await failureOf(client.get(KEY));
    expect(error.message).toBe(`get ConfigMap team/a: cannot reach ${server.origin}: ECONNREFUSED`);
    expect(error).toMatchObject({ failure: 'unavailable', status: undefined });
  });

  test('the Kubernetes client fails when the API server does not answer in time', async () => {
    const { client } = await setUp(() => {}, { timeoutMs: 20 });
    const error = await failureOf(client.create(OBJECT));
    expect(error.message).toMatch(/no answer of http:\S+ within 20 ms$/);
    expect(error.failure).toBe('unavailable');
  });

  test('an aborted call of the Kubernetes client rejects with the reason of its signal', async () => {
    const { client, server } = await setUp(() => {});
    const giveUp = new AbortController();
    const call = client.get(KEY, giveUp.signal);
    await server.waitFor(() => true);
    giveUp.abort(new Error('a newer revision'));
    await expect(call).rejects.toThrow('a newer revision');
  });
});

describe('retries', () => {
  const busy = refusal(429, 'TooManyRequests', 'later');
  const down = refusal(503, 'ServiceUnavailable', 'down');
  const rows: readonly [string, readonly (readonly [number, unknown, Record<string, string>?])[], boolean, number][] = [
    [
      'after 429',
      [
        [429, busy],
        [200, OBJECT],
      ],
      true,
      2,
    ],
    [
      'after 503',
      [
        [503, down],
        [503, down],
        [200, OBJECT],
      ],
      true,
      3,
    ],
    ['at most five times in all', [[503, down]], false, 5],
    ['never after 422', [[422, refusal(422, 'Invalid', 'no')]], false, 1],
    [
      'after a short Retry-After',
      [
        [429, busy, { 'retry-after': '3' }],
        [200, OBJECT],
      ],
      true,
      2,
    ],
    [
      'not after a long Retry-After',
      [
        [429, busy, { 'retry-after': '120' }],
        [200, OBJECT],
      ],
      false,
      1,
    ],
  ];

  test.each(rows)('the Kubernetes client sends a request again: %s', async (_name, steps, succeeds, requests) => {
    const { server, client } = await setUp(answers(...steps));
    const outcome = await client.apply(OBJECT, { fieldManager: 'lintel' }).then(
      () => true,
      () => false,
    );
    expect(outcome).toBe(succeeds);
    expect(server.requests).toHaveLength(requests);
  });

  test('the Kubernetes client does not repeat a create or replace that may have taken effect', async () => {
    const { server, client } = await setUp(answers([503, down]));
    await failureOf(client.create(OBJECT));
    await failureOf(client.replace(OBJECT));
    expect(server.requests).toHaveLength(2);
  });

  test('the Kubernetes client repeats a create that certainly had no effect', async () => {
    const { server, client } = await setUp(answers([429, busy], [201, OBJECT]));
    await client.create(OBJECT);
    expect(server.requests).toHaveLength(2);
  });

  test('the Kubernetes client repeats a get when the connection breaks in the middle of the answer', async () => {
    let count = 0;
    const { client, server } = await setUp((_request, response) => {
      if (count++ > 0) response.end(JSON.stringify(OBJECT));
      else {
        response.writeHead(200, { 'content-length': '1000' }).write('{"kind":');
        setImmediate(() => response.destroy());
      }
    });
    expect(await client.get(KEY)).toEqual(OBJECT);
    expect(server.requests).toHaveLength(2);
  });

  test('the Kubernetes client doubles its wait with each try, and waits for the time of Retry-After', async () => {
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      date: () => new Date(Date.UTC(2026, 0, 1)),
      after: atOnce(ms => waits.push(ms)),
    };
    const date = new Date(Date.UTC(2026, 0, 1) + 4_000).toUTCString();
    const { client } = await setUp(
      answers(
        [503, down],
        [503, down],
        [429, busy, { 'retry-after': '2' }],
        [503, down, { 'retry-after': date }],
        [200, OBJECT],
      ),
      { clock },
    );
    await client.get(KEY);
    expect(waits).toEqual([200, 400, 2_000, 4_000]);
  });

  test('the Kubernetes client reads its token again once when the API server refuses the token', async () => {
    const { server, client, forgotten } = await setUp(
      answers([401, refusal(401, 'Unauthorized', 'who?')], [200, OBJECT]),
    );
    await client.get(KEY);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-0', 'Bearer token-1']);
    expect(forgotten()).toBe(1);
  });
});

describe('lists', () => {
  const item = (name: string) => ({ metadata: { name, namespace: 'team' } });
  const page = (names: readonly string[], next?: string) => ({
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '40', ...(next === undefined ? {} : { continue: next }) },
    items: names.map(item),
  });

  test('the Kubernetes client joins the pages of a list, and sets apiVersion and kind of each object', async () => {
    const { server, client } = await setUp(answers([200, page(['a', 'b'], 'more')], [200, page(['c'])]));
    const { items, resourceVersion } = await client.list(CONFIG_MAP, { labelSelector: 'a=b,c', limit: 2 });
    expect(items).toEqual(['a', 'b', 'c'].map(name => ({ ...item(name), ...CONFIG_MAP })));
    expect(resourceVersion).toBe('40');
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/v1/configmaps?labelSelector=a%3Db%2Cc&limit=2',
      '/api/v1/configmaps?labelSelector=a%3Db%2Cc&limit=2&continue=more',
    ]);
  });

  test('the Kubernetes client reads the whole list at once when a page has expired', async () => {
    const { server, client } = await setUp(
      answers([200, page(['a'], 'more')], [410, refusal(410, 'Expired', 'too old')], [200, page(['a', 'b'])]),
    );
    const { items } = await client.list(CONFIG_MAP, { namespace: 'team', limit: 1 });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(server.requests.at(-1)?.path).toBe('/api/v1/namespaces/team/configmaps');
  });
});

describe('metrics and warnings', () => {
  test('the Kubernetes client counts every try by method and status code', async () => {
    const seen: string[] = [];
    const onRequest = ({ method, code }: { method: string; code: string }) => seen.push(`${method} ${code}`);
    const { client, server } = await setUp(answers([503, {}], [200, OBJECT]), { onRequest });
    await client.get(KEY);
    server.dropConnections();
    await server.close();
    await failureOf(client.get(KEY));
    expect(seen).toEqual(['GET 503', 'GET 200', ...Array(5).fill('GET <error>')]);
  });

  test('the Kubernetes client passes warnings of the API server to its onWarning callback', async () => {
    const seen: string[] = [];
    const warning = '299 - "v1alpha1 is \\"old\\"", 299 - "use v1beta1"';
    const { client } = await setUp(answers([200, OBJECT, { warning }]), { onWarning: text => seen.push(text) });
    await client.get(KEY);
    expect(seen).toEqual(['v1alpha1 is "old"', 'use v1beta1']);
  });
});

describe('the limit on calls', () => {
  test('the rate limit of the Kubernetes client allows a burst, then a number of calls per second, in the order of requests', async () => {
    const clock = new TestClock();
    const limit = new RateLimit(2, 3, clock);
    const taken: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) void limit.take().then(() => taken.push(`${name} ${clock.now()}`));
    await clock.pass(10_000);
    expect(taken).toEqual(['a 0', 'b 0', 'c 0', 'd 500', 'e 1000']);
    for (const name of ['f', 'g', 'h', 'i']) void limit.take().then(() => taken.push(`${name} ${clock.now()}`));
    await clock.pass(500);
    expect(taken.slice(5)).toEqual(['f 10000', 'g 10000', 'h 10000', 'i 10500']);
  });

  test('an aborted call that waited for the rate limit of the Kubernetes client does not delay the next call', async () => {
    const clock = new TestClock();
    const limit = new RateLimit(1, 1, clock);
    await limit.take();
    const giveUp = new AbortController();
    const first = limit.take(giveUp.signal);
    giveUp.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    let isTaken = false;
    void limit.take().then(() => {
      isTaken = true;
    });
    await clock.pass(1_000);
    expect(isTaken).toBe(true);
  });

  test('a Kubernetes client and the clients that it creates to impersonate accounts share one rate limit', async () => {
    const clock = new TestClock();
    const rateLimit = new RateLimit(1, 1, clock);
    const { client, server } = await setUp(answers([200, OBJECT]), { rateLimit });
    await client.get(KEY);
    const second = client.as({ namespace: 'team', name: 'x' }).get(KEY);
    await clock.pass(999);
    expect(server.requests).toHaveLength(1);
    await clock.pass(1);
    await second;
    expect(server.requests).toHaveLength(2);
  });
});
