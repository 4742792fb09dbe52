import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { initializeText, open, post, type Reply, readUntil } from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest, META } from '../stateless-edge/requests.ts';
import { CLIENTS, startGuarded } from './guarded-gateway.ts';
import { bearer, type FakeToken } from './tokens.ts';

const POLICIES = [
  'permit(principal, action == Action::"call_tool", resource == Tool::"s_echo");',
  'permit(principal in Group::"ops", action == Action::"call_tool", resource in MCP::"test");',
  'forbid(principal, action, resource == Tool::"s_fail");',
  'permit(principal in Group::"ops", action == Action::"get_prompt", resource == Prompt::"s_greet");',
  'permit(principal, action == Action::"read_resource", resource) when { resource.uri like "memo://o*" };',
  'permit(principal in Group::"ops", action == Action::"read_resource", resource == Resource::"memo://{name}");',
];
const ALICE: FakeToken = { sub: 'alice', groups: ['dev'] };
const OLGA: FakeToken = { sub: 'olga', groups: ['dev', 'ops'] };

let sessions: SdkServer;
let stateless: StatelessServer;

beforeAll(async () => {
  sessions = await startSdkServer({ transport: 'streamable-http' });
  stateless = await startStatelessServer();
});

afterAll(async () => {
  await sessions.close();
  await stateless.close();
});

const guarded = (policies: Parameters<typeof cedarPlan>[0] = POLICIES) =>
  startGuarded([backendPlan('s', sessions.url)], cedarPlan(policies));

describe.each(CLIENTS)('%s', (_, connect) => {
  test('a client sees in its lists exactly the items that policies permit its caller to use', async () => {
    const { url } = await guarded();
    const [alice, olga] = await Promise.all([connect(url, ALICE), connect(url, OLGA)]);
    expect(await alice.list('tools')).toEqual(['s_echo']);
    expect(await alice.list('prompts')).toEqual([]);
    expect(await alice.list('resources')).toEqual(['memo://one']);
    expect(await alice.list('resourceTemplates')).toEqual([]);
    expect(await olga.list('tools')).toContain('s_log');
    expect(await olga.list('tools')).not.toContain('s_fail');
    expect(await olga.list('prompts')).toEqual(['s_greet']);
    expect(await olga.list('resources')).toEqual(['memo://one']);
    expect(await olga.list('resourceTemplates')).toEqual(['memo://{name}']);
  });

  test('a client can use the permitted items, and gets the same error for forbidden and unknown items', async () => {
    const { url } = await guarded();
    const [alice, olga] = await Promise.all([connect(url, ALICE), connect(url, OLGA)]);
    expect(await alice.callTool('s_echo', { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(await alice.readResource('memo://one')).toMatchObject({ contents: [{ uri: 'memo://one' }] });
    expect(await olga.getPrompt('s_greet')).toMatchObject({ messages: expect.any(Array) });
    await expect(alice.callTool('s_log')).rejects.toThrow('unknown tool "s_log"');
    await expect(olga.callTool('s_fail')).rejects.toThrow('unknown tool "s_fail"');
    await expect(alice.getPrompt('s_greet')).rejects.toThrow('unknown prompt "s_greet"');
    // The concrete URI decides about a read, whatever the template is.
    await expect(olga.readResource('memo://two')).rejects.toThrow('resource not found');
  });
});

async function sessionOf(url: string, token: FakeToken): Promise<Record<string, string>> {
  const Authorization = bearer(token);
  const { headers } = await post(url, initializeText(), { Authorization });
  return { Authorization, 'Mcp-Session-Id': headers['mcp-session-id'] as string };
}

function denied(id: number, message: string): object {
  return { status: 403, message: { jsonrpc: '2.0', id, error: { code: 403, message } } };
}

const read = ({ status, text }: Reply) => ({ status, message: JSON.parse(text) });

/** Each request that policies permit to no caller, and the same request for something that does not exist. */
const REQUESTS: readonly [method: string, params: Record<string, unknown>, absent?: Record<string, unknown>][] = [
  ['tools/call', { name: 's_log', arguments: {} }, { name: 's_none', arguments: {} }],
  ['prompts/get', { name: 's_greet' }, { name: 's_none' }],
  ['resources/read', { uri: 'memo://two' }, { uri: 'nowhere://two' }],
  ['resources/subscribe', { uri: 'memo://two' }, { uri: 'nowhere://two' }],
  ['resources/subscribe', { uri: 'memo://one' }],
  ['resources/unsubscribe', { uri: 'memo://two' }],
  ['completion/complete', completion('ref/prompt', 'name', 's_greet'), completion('ref/prompt', 'name', 's_none')],
  [
    'completion/complete',
    completion('ref/resource', 'uri', 'memo://{name}'),
    completion('ref/resource', 'uri', 'nowhere://{name}'),
  ],
  ['ping', {}],
  ['logging/setLevel', { level: 'info' }],
];

const isTemplate = ({ ref }: Record<string, unknown>) => (ref as { readonly type?: string })?.type === 'ref/resource';

function completion(type: string, member: string, value: string): Record<string, unknown> {
  return { ref: { type, [member]: value }, argument: { name: 'a', value: '' } };
}

/** Removes the name, the only allowed difference between two responses. */
function withoutNames({ status, text }: Reply): object {
  return { status, text: text.replaceAll(/s_\w+|\w+:\/\/[\w{}]+/g, 'NAME') };
}

describe('on the wire', () => {
  test.each(REQUESTS)(
    'a forbidden item in a session gets the error of an unknown item: %s %o',
    async (method, params, absent) => {
      const { url } = await guarded();
      const headers = await sessionOf(url, ALICE);
      const send = (what: object) =>
        post(url, JSON.stringify({ jsonrpc: '2.0', id: 5, method, params: what }), headers);
      const reply = await send(params);
      expect(reply.status).toBe(200);
      if (absent === undefined) return;
      expect(read(reply).message.error.code).toBe(
        method.startsWith('resources') || isTemplate(params) ? -32002 : -32602,
      );
      expect(withoutNames(reply)).toEqual(withoutNames(await send(absent)));
    },
  );

  const ofRevision = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'];
  test.each(REQUESTS.filter(([method]) => ofRevision.includes(method)))(
    'a forbidden item gets the error of an unknown item without a session: %s %o',
    async (method, params, absent) => {
      const { url } = await guarded();
      const send = (what: Record<string, unknown>) => {
        const request = { method, params: what, id: 5 };
        return post(url, formatRequest(request), { ...findHeaders(request), Authorization: bearer(ALICE) });
      };
      const reply = await send(params);
      expect(read(reply)).toMatchObject({ status: 400, message: { error: { code: -32602 } } });
      expect(withoutNames(reply)).toEqual(withoutNames(await send(absent as Record<string, unknown>)));
    },
  );

  test('an error in the arguments does not reveal that a hidden tool exists', async () => {
    const { url } = await guarded();
    const headers = await sessionOf(url, ALICE);
    const call = (name: string) =>
      post(
        url,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"a":1,"A":1}}}`,
        headers,
      );
    expect(withoutNames(await call('s_log'))).toEqual(withoutNames(await call('s_none')));
  });

  test('the log names the caller, the item and the policies of a denied call, whether the item is hidden or listed', async () => {
    const { log, lines } = listeningLog();
    const small = { text: 'permit(principal, action, resource == Tool::"s_echo") when { context.arg_n < 5 };' };
    const listed = { ...small, listText: 'permit(principal, action, resource == Tool::"s_echo");' };
    const forbidden = 'forbid(principal, action, resource == Tool::"s_fail");';
    const { url } = await startGuarded([backendPlan('s', sessions.url)], cedarPlan([listed, forbidden]), log);
    const headers = await sessionOf(url, ALICE);
    const codes = [];
    for (const name of ['s_log', 's_echo', 's_fail', 's_none']) {
      const params = { name, arguments: { n: 9 } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      codes.push(read(await post(url, body, headers)).message.error.code);
    }
    expect(codes).toEqual([-32602, 403, -32602, -32602]);
    const denials = lines.filter(({ msg }) => msg === 'denied by authorization policy');
    expect(denials).toMatchObject([
      { level: 'info', action: 'call_tool', name: 's_log', subject: 'alice', policies: [] },
      { level: 'info', action: 'call_tool', name: 's_echo', subject: 'alice', policies: [] },
      { level: 'info', action: 'call_tool', name: 's_fail', subject: 'alice', policies: ['policy1'] },
    ]);
  });

  test('Cedar policies apply to each call of a batch', async () => {
    const { url } = await guarded();
    const Authorization = bearer(ALICE);
    const opened = await post(url, initializeText({ protocolVersion: '2025-03-26' }), { Authorization });
    const session = { Authorization, 'Mcp-Session-Id': opened.headers['mcp-session-id'] as string };
    const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    const batch = JSON.stringify([call(1, 's_log'), call(2, 's_echo')]);
    const { text } = await post(url, batch, { ...session, Accept: 'application/json' });
    const answers = JSON.parse(text) as { id: number; error?: { code: number } }[];
    expect(answers.find(({ id }) => id === 1)?.error?.code).toBe(-32602);
    expect(answers.find(({ id }) => id === 2)).toHaveProperty('result');
  });

  test('a gateway with policies answers a call of an unknown tool with the error -32602', async () => {
    const { url } = await guarded();
    const headers = await sessionOf(url, ALICE);
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 's_none' } });
    expect(read(await post(url, call, headers))).toMatchObject({ status: 200, message: { error: { code: -32602 } } });
  });

  test('callers who may not call a backend do not learn whether the backend is unavailable', async () => {
    const gone = await startSdkServer({ transport: 'streamable-http' });
    const { url } = await startGuarded([backendPlan('s', gone.url)], cedarPlan(POLICIES));
    await gone.close();
    const headers = await sessionOf(url, ALICE);
    const call = (name: string) =>
      post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }), headers);
    await call('s_echo');
    expect(withoutNames(await call('s_log'))).toEqual(withoutNames(await call('s_none')));
  });
});

describe('policies that read arguments', () => {
  const SMALL = {
    text: 'permit(principal, action, resource == Tool::"s_echo") when { context.arg_n < 5 };',
    listText: 'permit(principal, action, resource == Tool::"s_echo");',
  };

  test('Cedar policies decide on the arguments of a call', async () => {
    const { url, gateway } = await guarded([SMALL]);
    const headers = await sessionOf(url, ALICE);
    const call = (args: string) =>
      post(
        url,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_echo","arguments":${args}}}`,
        headers,
      );
    expect(read(await call('{"n":4}'))).toMatchObject({ message: { result: {} } });
    expect(read(await call('{"n":5}'))).toEqual(denied(1, 'call denied by authorization policy'));
    expect(gateway.authorizer.errorCount).toBe(0);
    expect((await call('{}')).status).toBe(403);
    expect(gateway.authorizer.errorCount).toBe(1);
  });

  test.each([
    ['{"n":9,"n":4}', 'several members called "n"'],
    ['{"N":9,"n":4}', 'several members called "n"'],
    [String.raw`{"\u006e":9,"n":4}`, 'several members called "n"'],
    ['{"ſ":9,"s":4,"n":4}', 'several members called "s"'],
    ['{"\u212a":9,"k":4,"n":4}', 'several members called "k"'],
    ['[4]', 'must be an object'],
    ['"n"', 'must be an object'],
    ['null', 'must be an object'],
  ])('the gateway refuses the ambiguous arguments %s if policies read arguments', async (args, problem) => {
    const { url } = await guarded([SMALL]);
    const headers = await sessionOf(url, ALICE);
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_echo","arguments":${args}}}`;
    const { message } = read(await post(url, body, headers));
    expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining(problem) });
  });

  test('the gateway refuses a call with too many arguments if policies read arguments', async () => {
    const { url } = await guarded([SMALL]);
    const headers = await sessionOf(url, ALICE);
    const call = async (count: number) => {
      const args = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
      const params = { name: 's_echo', arguments: { n: 4, ...args } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return read(await post(url, body, headers)).message;
    };
    expect(await call(9_999)).toHaveProperty('result');
    expect((await call(10_000)).error).toEqual({
      code: -32602,
      message: 'params.arguments has more than 10000 members',
    });
  });

  describe('arguments that differ in case from the names that policies read', () => {
    const FORBIDDEN = {
      text: 'forbid(principal, action, resource) when { context has arg_n && context.arg_n > 5 };',
      listText: 'forbid(principal, action, resource) when { false };',
    };
    const forbidding = [FORBIDDEN, 'permit(principal, action, resource);'];
    const call = (url: string, headers: Record<string, string>, name: string, args: string) =>
      post(
        url,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
        headers,
      );

    // Go's encoding/json ignores case: otherwise another spelling would call what a policy forbids.
    test.each(['{"N":9}', '{"N":1}', '{"\\u004e":9}'])(
      'the gateway refuses the arguments %s, which differ only in case from a name that a policy reads',
      async args => {
        const { url } = await guarded(forbidding);
        const { message } = read(await call(url, await sessionOf(url, ALICE), 's_echo', args));
        expect(message.error).toEqual({
          code: -32602,
          message: 'params.arguments has "N", and policies look at "n": write it as it is declared',
        });
      },
    );

    test('the gateway accepts an argument that differs in case from a name that a policy reads, if the tool declares it', async () => {
      const tools = [{ name: 'own', inputSchema: { type: 'object' as const, properties: { N: {} } } }];
      const server = await startSdkServer({ transport: 'streamable-http', tools });
      onTestFinished(() => server.close());
      const { url } = await startGuarded([backendPlan('s', server.url)], cedarPlan(forbidding));
      const headers = await sessionOf(url, ALICE);
      expect(read(await call(url, headers, 's_own', '{"N":9}'))).toHaveProperty('message.result');
      expect(read(await call(url, headers, 's_own', '{"n":9}'))).toEqual(
        denied(1, 'call denied by authorization policy'),
      );
    });

    test('the gateway accepts additional arguments that no policy reads', async () => {
      const { url } = await guarded(forbidding);
      const headers = await sessionOf(url, ALICE);
      expect(read(await call(url, headers, 's_echo', '{"NN":9,"n":2}'))).toHaveProperty('message.result');
    });
  });
});

test('new policies apply from the next request on, and clients are notified that their lists changed', async () => {
  const { url, swap } = await guarded();
  const headers = await sessionOf(url, ALICE);
  const stream = await open(url, 'GET', { ...headers, Accept: 'text/event-stream' });
  const ask = async (method: string, params: object) =>
    read(await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers));
  expect((await ask('tools/call', { name: 's_echo' })).status).toBe(200);
  await swap(cedarPlan(['permit(principal, action, resource == Tool::"s_log");']));
  await readUntil(stream, 'notifications/tools/list_changed');
  expect((await ask('tools/call', { name: 's_echo' })).message.error.code).toBe(-32602);
  const { message } = await ask('tools/list', {});
  expect(message.result.tools.map(({ name }: { name: string }) => name)).toEqual(['s_log']);
  await swap({ engine: 'none', policyCount: 0 });
  expect((await ask('tools/call', { name: 's_echo' })).status).toBe(200);
});

describe('updates of resources', () => {
  test('updates of a resource do not reach a session that may no longer read the resource', async () => {
    const { url, swap } = await guarded(['permit(principal, action, resource);']);
    const headers = await sessionOf(url, ALICE);
    const stream = await open(url, 'GET', { ...headers, Accept: 'text/event-stream' });
    for (const uri of ['memo://one', 'memo://two']) {
      await post(
        url,
        JSON.stringify({ jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } }),
        headers,
      );
    }
    await swap(cedarPlan(POLICIES));
    await sessions.update('memo://two');
    await sessions.update('memo://one');
    expect(await readUntil(stream, 'memo://one')).not.toContain('memo://two');
  });

  const listen = (url: string, ...resourceSubscriptions: string[]) => {
    const request = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions } } };
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const all = { ...headers, ...findHeaders(request), Authorization: bearer(ALICE) };
    return open(url, 'POST', all, formatRequest(request));
  };

  test('subscriptions/listen acknowledges only resources that the caller may read', async () => {
    const { url } = await guarded();
    const stream = await listen(url, 'memo://two', 'memo://one');
    expect(await readUntil(stream, '\n\n')).toContain('"resourceSubscriptions":["memo://one"]');
  });

  test('updates of a resource do not reach a stateless client that may no longer read the resource', async () => {
    const { url, swap } = await guarded(['permit(principal, action, resource);']);
    const stream = await listen(url, 'memo://two', 'memo://one');
    expect(await readUntil(stream, '\n\n')).toContain('"resourceSubscriptions":["memo://two","memo://one"]');
    const heard = readUntil(stream, '"memo://one"');
    await swap(cedarPlan(POLICIES));
    await sessions.update('memo://two');
    await sessions.update('memo://one');
    expect(await heard).not.toContain('memo://two');
  });
});

test('only the caller who began a call can continue it with the answer to a question', async () => {
  const { url } = await startGuarded([backendPlan('s', sessions.url)], { engine: 'none', policyCount: 0 });
  const capabilities = { elicitation: { form: {} } };
  const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const attempt = (token: FakeToken, more: object = {}) => {
    const params = { name: 's_elicit', arguments: { message: 'who?' }, ...more };
    const request = { method: 'tools/call', params, meta };
    return post(url, formatRequest(request), { ...findHeaders(request), Authorization: bearer(token) });
  };
  const asked = read(await attempt(ALICE)).message.result;
  expect(asked.resultType).toBe('input_required');
  const [key] = Object.keys(asked.inputRequests);
  const answer = {
    requestState: asked.requestState,
    inputResponses: { [key as string]: { action: 'accept', content: { name: 'x' } } },
  };
  expect(read(await attempt(OLGA, answer)).message.error.code).toBe(-32602);
  expect(read(await attempt(ALICE, answer)).message.result.resultType).toBe('complete');
});

test('the gateway does not send calls of one caller in the session that it opened at a backend for another caller', async () => {
  const lender = await startSdkServer({ transport: 'streamable-http' });
  try {
    const { url } = await startGuarded([backendPlan('s', lender.url)], { engine: 'none', policyCount: 0 });
    const before = lender.initializations;
    const call = (token: FakeToken) => {
      const request = { method: 'tools/call', params: { name: 's_echo', arguments: {} } };
      return post(url, formatRequest(request), { ...findHeaders(request), Authorization: bearer(token) });
    };
    for (const token of [ALICE, ALICE, OLGA, ALICE, OLGA]) expect((await call(token)).status).toBe(200);
    expect(lender.initializations - before).toBe(2);
  } finally {
    await lender.close();
  }
});

test('Cedar policies decide alike for a stateless backend and for a backend with sessions', async () => {
  const { url } = await startGuarded([backendPlan('s', stateless.url)], cedarPlan(POLICIES));
  for (const [, connect] of CLIENTS) {
    const alice = await connect(url, ALICE);
    expect(await alice.list('tools')).toEqual(['s_echo']);
    await expect(alice.callTool('s_envelope')).rejects.toThrow('unknown tool "s_envelope"');
  }
});
