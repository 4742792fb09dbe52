/** A bundle with other authentication, and requests that began before: no request is served by the old rules. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '#runtime';
import type { IncomingAuthPlan, TokenAuthPlan } from '#schemas';
import { ActiveAuthenticator } from '../../../runtime/active-authenticator.ts';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { ANONYMOUS, type Identity } from '../../../runtime/auth/identity.ts';
import { AuthenticationError, type Authenticator } from '../../../runtime/auth/incoming/authenticator.ts';
import { GATEWAY_SENDER } from '../../../runtime/gateway/backends/sender.ts';
import { Gateway } from '../../../runtime/gateway/gateway.ts';
import { subscribe } from '../../../runtime/gateway/stateless/subscription.ts';
import {
  backendPlan,
  eventually,
  FIRST_LIST_WAIT_MS,
  gatewayBundle,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import {
  initialize,
  initializeText,
  open,
  post,
  type Reply,
  readUntil,
  startGateway as startEdge,
} from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest, type StatelessRequest } from '../stateless-edge/requests.ts';

const ANYBODY: IncomingAuthPlan = { type: 'anonymous' };
const POST = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

let idp: IdentityProvider;
let byToken: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  byToken = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());

const RESOURCES = Array.from({ length: 20 }, (_, index) => ({ uri: `x://${index}`, name: `${index}` }));

let backend: RawServer;

beforeEach(async () => {
  backend = await startBackend();
});

/** A backend with one tool, `echo`, and resources. */
async function startBackend(): Promise<RawServer> {
  const results: Record<string, object> = {
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [] },
    'resources/list': { resources: RESOURCES },
    'resources/templates/list': { resourceTemplates: [] },
    'resources/subscribe': {},
  };
  const capabilities = { tools: {}, resources: { subscribe: true } };
  const answer = withHandshake(
    ({ message }, response) => {
      const result = results[message.method];
      const outcome = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome }));
    },
    'session',
    capabilities,
  );
  const server = await startRawServer(answer);
  onTestFinished(() => server.close());
  return server;
}

/** Requests that the backend received for clients. */
const asked = () =>
  backend.requests.map(({ message }) => message?.method).filter(method => /call|subscribe/.test(method));

async function started(incomingAuth: IncomingAuthPlan, url = `${backend.origin}/mcp`): Promise<TestGateway> {
  const gateway = await startGateway({ backends: [backendPlan('b', url)], incomingAuth });
  onTestFinished(() => gateway.stop());
  return gateway;
}

async function replace(gateway: TestGateway, incomingAuth: IncomingAuthPlan): Promise<void> {
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace({ backends: [backendPlan('b', `${backend.origin}/mcp`)], incomingAuth });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
}

/** A POST whose caller is authenticated, without its body. */
async function begun(url: string, headers: object, body: string): Promise<() => Promise<Reply>> {
  const known = Object.entries({
    ...POST,
    'Content-Length': Buffer.byteLength(body),
    Expect: '100-continue',
    ...headers,
  });
  const present = known.filter(([, value]) => value !== undefined);
  const req = request(url, { method: 'POST', agent: false, headers: Object.fromEntries(present) });
  const response = once(req, 'response');
  req.flushHeaders();
  await once(req, 'continue'); // Arrives with the request at its handler, which queries at once.
  return async () => {
    req.end(body);
    const [res] = (await response) as [IncomingMessage];
    let text = '';
    for await (const chunk of res.setEncoding('utf8')) text += chunk;
    return { status: res.statusCode ?? 0, headers: res.headers, text };
  };
}

const CALL: StatelessRequest = { method: 'tools/call', params: { name: 'b_echo', arguments: {} } };
const CALL_IN_SESSION = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b_echo","arguments":{}}}';
const LISTEN: StatelessRequest = {
  method: 'subscriptions/listen',
  params: { notifications: { resourceSubscriptions: ['x://0'] } },
};

interface Message {
  readonly url: string;
  readonly headers: object;
  readonly body: string;
}

const stateless = (what: StatelessRequest) => async (url: string) => ({
  url,
  headers: findHeaders(what),
  body: formatRequest(what),
});

async function overPair(url: string): Promise<Message> {
  const stream = await open(url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream' });
  const [, reference = ''] = /data: (\S+)/.exec(await readUntil(stream, '\n\n')) ?? [];
  const messages = new URL(reference, url).href;
  const isInitialized = readUntil(stream, '"id":"init"');
  await post(messages, initializeText({ protocolVersion: '2024-11-05' }));
  await isInitialized;
  return { url: messages, headers: {}, body: CALL_IN_SESSION };
}

const MESSAGES: readonly (readonly [string, (url: string) => Promise<Message>])[] = [
  ['a call without a session', stateless(CALL)],
  ['a subscription', stateless(LISTEN)],
  ['the initialize request of a session', async url => ({ url, headers: {}, body: initializeText() })],
  [
    'a call in a session',
    async url => ({ url, headers: { 'Mcp-Session-Id': await initialize(url) }, body: CALL_IN_SESSION }),
  ],
  ['a call over HTTP+SSE', overPair],
];

describe('a POST whose body arrives after a new bundle', () => {
  test.each(MESSAGES)(
    'the gateway refuses %s without a token if a new bundle that requires tokens is loaded before the body arrives',
    async (_what, message) => {
      const gateway = await started(ANYBODY);
      await gateway.ready();
      const { url, headers, body } = await message(gateway.url);
      const { sessions } = await gateway.status();
      const finish = await begun(url, headers, body);
      await replace(gateway, byToken);
      const reply = await finish();
      expect(reply.status).toBe(401);
      expect(reply.headers['www-authenticate']).toContain('Bearer realm="test"');
      expect(asked()).toEqual([]);
      expect((await gateway.status()).sessions).toBeLessThanOrEqual(sessions);
    },
  );

  test('the gateway serves a caller with a token that a new bundle requires, also when the bundle arrives before the body', async () => {
    const gateway = await started(ANYBODY);
    await gateway.ready();
    const Authorization = `Bearer ${await idp.issue({ claims: { sub: 'ann' } })}`;
    const finish = await begun(gateway.url, { ...findHeaders(CALL), Authorization }, formatRequest(CALL));
    await replace(gateway, byToken);
    expect(await finish()).toMatchObject({ status: 200, text: expect.stringContaining('"content":[]') });
    expect(asked()).toEqual(['tools/call']);
  });

  test.each<[string, Partial<TokenAuthPlan>, number]>([
    ['another scope', { requiredScopes: ['b:call'] }, 403],
    [
      'another issuer',
      { providers: [providerPlan({ issuer: 'http://127.0.0.1:9/', discoveryUrl: 'http://127.0.0.1:9/' })] },
      401,
    ],
  ])(
    'the gateway refuses a token that the former bundle accepted when the new bundle requires %s',
    async (_what, more, status) => {
      const gateway = await started(byToken);
      await gateway.ready();
      const Authorization = `Bearer ${await idp.issue({ claims: { sub: 'ann' } })}`;
      expect(await post(gateway.url, formatRequest(CALL), { ...findHeaders(CALL), Authorization })).toMatchObject({
        status: 200,
      });
      const finish = await begun(gateway.url, { ...findHeaders(CALL), Authorization }, formatRequest(CALL));
      await replace(gateway, { ...byToken, ...more });
      expect(await finish()).toMatchObject({ status });
      expect(asked()).toEqual(['tools/call']);
    },
  );

  test('the gateway serves a request whose body arrives after a new bundle with the same authentication', async () => {
    const gateway = await started(ANYBODY);
    await gateway.ready();
    const finish = await begun(gateway.url, findHeaders(CALL), formatRequest(CALL));
    const { digest } = (await gateway.status()).bundle;
    const backends = [backendPlan('b', `${backend.origin}/mcp`), backendPlan('c', `${backend.origin}/mcp`)];
    await gateway.replace({ backends, incomingAuth: ANYBODY });
    await eventually(async () => (await gateway.status()).bundle.digest !== digest);
    expect(await finish()).toMatchObject({ status: 200 });
  });
});

describe('a request that waits for a backend of the former bundle', () => {
  const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://0"}}';
  const TASK: StatelessRequest = {
    method: 'tasks/get',
    params: { taskId: 'b:1' },
    headers: { 'Mcp-Name': 'b:1' },
  };
  const inSession = (body: string) => async (url: string) => ({
    url,
    headers: { 'Mcp-Session-Id': await initialize(url) },
    body,
  });

  test.each<[string, (url: string) => Promise<Message>]>([
    ['a call without a session', stateless(CALL)],
    ['a list without a session', stateless({ method: 'tools/list' })],
    ['a task without a session', stateless(TASK)],
    ['a subscription', stateless(LISTEN)],
    ['a call in a session', inSession(CALL_IN_SESSION)],
    ['a list in a session', inSession(LIST)],
    ['a subscription in a session', inSession(SUBSCRIBE)],
  ])(
    '%s that was waiting for a backend of the former bundle is not sent to a backend of the new bundle',
    async (_what, message) => {
      const silent = await startRawServer(() => {});
      onTestFinished(() => silent.close());
      const gateway = await started(ANYBODY, `${silent.origin}/mcp`);
      const { url, headers, body } = await message(gateway.url);
      const reply = post(url, body, headers as Record<string, string>);
      await silent.waitFor(() => true);
      await replace(gateway, byToken);
      const { text } = await reply;
      expect(JSON.parse(text)).toMatchObject({
        id: 1,
        error: { code: -32000, message: 'the configuration of authentication has changed; send the request again' },
      });
      expect(asked()).toEqual([]);
    },
  );
});

test('a running subscriptions/listen does not subscribe to further resources at backends after a new bundle changes the authentication', async () => {
  const log = createLogger('silent');
  const { authorization, ...bundle } = gatewayBundle({ backends: [backendPlan('b', `${backend.origin}/mcp`)] });
  const authorizer = createAuthorizer(authorization, log);
  const gateway = new Gateway({ ...bundle, authorization }, authorizer, {
    version: 'test',
    log,
    firstListWaitMs: FIRST_LIST_WAIT_MS,
  });
  onTestFinished(() => gateway.close());
  await gateway.start();
  await gateway.settled();
  let looks = 0;
  // The rules are checked before each resource; by then the first few have been requested.
  const rules = {
    get isSuperseded() {
      return ++looks > 10;
    },
  };
  const resourceSubscriptions = RESOURCES.map(({ uri }) => uri);
  const { honoured, close } = await subscribe(
    gateway,
    { resourceSubscriptions },
    { message: () => {} },
    { ...GATEWAY_SENDER, rules },
    new AbortController().signal,
  );
  const count = asked().length;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(RESOURCES.length);
  expect(honoured.resourceSubscriptions).toEqual(resourceSubscriptions.slice(0, count));
  close();
});

describe('during the authentication of a request', () => {
  const stranger = new AuthenticationError(401, { error: 'invalid_token', error_description: 'no' }, 'Bearer');
  const refuse = (): Identity => {
    throw stranger;
  };

  function policyOf(authenticate: Authenticator['authenticate']): ConstructorParameters<typeof ActiveAuthenticator>[0] {
    const authenticator: Authenticator = {
      authenticate,
      challenge: () => undefined,
      routes: new Map(),
      status: () => [],
      close: async () => {},
    };
    return { plan: ANYBODY, authenticator, close: async () => {} };
  }

  /** A gateway whose authentication is pending until the test decides it. */
  async function startLooking() {
    const lookup = Promise.withResolvers<Identity>();
    const isAsked = Promise.withResolvers<void>();
    const callers = new ActiveAuthenticator(
      policyOf(() => {
        isAsked.resolve();
        return lookup.promise;
      }),
    );
    const edge = await startEdge({}, { authenticator: callers });
    return { ...edge, callers, lookup, isAsked: isAsked.promise };
  }

  test.each([
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
    ['GET', '/sse'],
    ['POST', '/messages?sessionId=none'],
  ])(
    '%s %s gets 401 when a new bundle that refuses the caller arrives while the former bundle authenticates the caller',
    async (method, path) => {
      const { url, callers, lookup, isAsked, sse, endpoint } = await startLooking();
      const headers = { ...POST, 'Mcp-Session-Id': method === 'POST' ? undefined : 'none' };
      const body = method === 'POST' ? initializeText() : undefined;
      const reply = open(url.replace('/mcp', path), method, headers, body);
      await isAsked;
      callers.replace(policyOf(refuse));
      lookup.resolve(ANONYMOUS);
      expect((await reply).statusCode).toBe(401);
      expect([sse.sessionCount, endpoint.sessionCount]).toEqual([0, 0]);
    },
  );

  test('the gateway serves a caller whom the former bundle refuses if a new bundle that accepts the caller arrives during authentication', async () => {
    const { url, callers, lookup, isAsked } = await startLooking();
    const reply = post(url, initializeText());
    await isAsked;
    callers.replace(policyOf(() => ANONYMOUS));
    lookup.reject(stranger);
    expect((await reply).status).toBe(200);
  });

  test('when several new bundles arrive while a caller is authenticated, the last bundle decides about the caller', async () => {
    const { url, callers, lookup, isAsked, endpoint } = await startLooking();
    const second = Promise.withResolvers<Identity>();
    const looks = vi.fn(() => second.promise);
    const reply = post(url, initializeText());
    await isAsked;
    callers.replace(policyOf(looks));
    lookup.resolve(ANONYMOUS);
    await vi.waitFor(() => expect(looks).toHaveBeenCalled());
    callers.replace(policyOf(refuse));
    second.resolve(ANONYMOUS);
    expect((await reply).status).toBe(401);
    expect(endpoint.sessionCount).toBe(0);
  });
});
