/** What the audit log records of each call: the caller, the tool, the backend, the policy that decided, and the outcome. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RateLimitPlan } from '#schemas';
import { type BundleOptions, backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import {
  eventText,
  openEvents,
  type RawServer,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { type AuditedGateway, startAudited } from './audited-gateway.ts';

let idp: IdentityProvider;
let sessions: SdkServer;
let stateless: StatelessServer;
let raw: RawServer;

/** Longer than the part that other gateways search for an error. */
const LONG = 'x'.repeat(20_000);
const LATE_ERROR = { code: -32_050, message: 'the disk is full' };

beforeAll(async () => {
  const tools = ['late_json', 'late_event', 'long_result'].map(name => ({ name, inputSchema: { type: 'object' } }));
  [idp, sessions, stateless, raw] = await Promise.all([
    startIdentityProvider(),
    startSdkServer({ transport: 'streamable-http', tools: [{ name: 'read' }] }),
    startStatelessServer(),
    startRawServer(
      withHandshake(({ message: { id, method, params } }, response) => {
        if (method !== 'tools/call') {
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
        } else if (params.name === 'late_json') {
          // The error comes after 20 kB of other content.
          const error = `{"data":"${LONG}","code":${LATE_ERROR.code},"message":"${LATE_ERROR.message}"}`;
          sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"x":"${LONG}","error":${error}}`);
        } else if (params.name === 'late_event') {
          openEvents(response);
          const said = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'working' } };
          response.write(eventText(JSON.stringify(said)));
          response.end(eventText(JSON.stringify({ jsonrpc: '2.0', id, error: LATE_ERROR })));
        } else {
          // Text in a result that looks like an error.
          const text = `${LONG} "error": {"code": -32000}`;
          const result = { content: [{ type: 'text', text }], structuredContent: { error: { code: 1 } } };
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
        }
      }, 'session'),
    ),
  ]);
});

afterAll(() => Promise.all([idp.close(), sessions.close(), stateless.close(), raw.close()]));

const EVERYBODY = 'permit(principal, action, resource);';

const POLICIES = cedarPlan([
  'permit(principal in Group::"ops", action, resource) unless { resource == Tool::"s_log" };',
  {
    text: 'forbid(principal, action, resource == Tool::"s_echo") when { context has arg_n && context.arg_n > 5 };',
    listText: 'forbid(principal, action, resource == Tool::"s_echo") when { false };',
  },
]);

const backends = () => [
  backendPlan('s', sessions.url, {
    tools: {
      prefix: 's_',
      advertise: { type: 'all' },
      overrides: { read: { name: 'look' } },
    },
  }),
  backendPlan('m', stateless.url),
  backendPlan('r', `${raw.origin}/mcp`),
];

async function audited(more: Partial<BundleOptions> = {}, plan: Parameters<typeof startAudited>[1] = {}) {
  const incomingAuth = authPlan([providerPlan(idp)]);
  return await startAudited({ backends: backends(), incomingAuth, authorization: POLICIES, ...more }, plan);
}

const ALICE = { sub: 'alice', name: 'Alice Doe', groups: ['ops'] };

async function connect({ gateway }: AuditedGateway, claims: Readonly<Record<string, unknown>> = ALICE) {
  const client = new Client({ name: 'desk', version: '3' });
  const requestInit = { headers: { Authorization: `Bearer ${await idp.issue({ claims })}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }) as Parameters<Client['connect']>[0],
  );
  onTestFinished(() => client.close());
  return client;
}

async function connectStateless({ gateway }: AuditedGateway, claims: Readonly<Record<string, unknown>> = ALICE) {
  const client = new ClientV2({ name: 'desk', version: '4' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { Authorization: `Bearer ${await idp.issue({ claims })}` } };
  await client.connect(new TransportV2(new URL(gateway.url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

type Call = Pick<Client, 'callTool'>;

/** The record of the only call, and whether its response was an error. */
async function recordOfCall(log: AuditedGateway, client: unknown, name: string, args: Record<string, unknown> = {}) {
  const isRefused = await (client as Call).callTool({ name, arguments: args }).then(
    ({ isError }) => isError === true,
    () => true,
  );
  return { isRefused, record: await log.recordOf('mcp_tool_call') };
}

test('the audit record of a call in a session has every field', async () => {
  const log = await audited();
  const { record } = await recordOfCall(log, await connect(log), 's_look', { secret: 'xyzzy' });
  const { digest } = (await log.gateway.status()).bundle;
  expect(record).toEqual({
    level: 'AUDIT',
    msg: 'audit_event',
    audit_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    type: 'mcp_tool_call',
    logged_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    outcome: 'success',
    component: 'test',
    source: { type: 'network', value: '127.0.0.1', extra: { user_agent: expect.any(String) } },
    subjects: { user: 'Alice Doe', user_id: 'alice', issuer: idp.issuer, client_name: 'desk', client_version: '3' },
    target: { endpoint: '/mcp', method: 'tools/call', name: 's_look', original_name: 'read', type: 'tool' },
    metadata: {
      extra: {
        duration_ms: expect.any(Number),
        transport: 'http',
        http_status: 200,
        response_size_bytes: expect.any(Number),
        backend_name: 's',
        bundle_digest: digest,
        policy_decision: 'permit',
        deciding_policies: ['policy0'],
      },
    },
  });
  expect(await log.text(), 'neither arguments nor results').not.toContain('xyzzy');
});

describe.each([
  ['in a session', connect],
  ['without a session', connectStateless],
] as const)('a call %s', (_, open) => {
  const isStateless = open === connectStateless;

  test('the audit log records the outcome success for a call that the backend answers', async () => {
    const log = await audited();
    const { record, isRefused } = await recordOfCall(log, await open(log), 'm_echo');
    expect(isRefused).toBe(false);
    expect(record).toMatchObject({
      outcome: 'success',
      subjects: { client_name: 'desk', client_version: isStateless ? '4' : '3' },
      target: { name: 'm_echo', original_name: 'echo' },
      metadata: { extra: { backend_name: 'm', policy_decision: 'permit' } },
    });
  });

  test('the audit log records a call that a policy forbids with the outcome denied and the name of that policy', async () => {
    const log = await audited();
    const { record, isRefused } = await recordOfCall(log, await open(log), 's_echo', { n: 9 });
    expect(isRefused).toBe(true);
    expect(record).toMatchObject({
      outcome: 'denied',
      subjects: { user_id: 'alice' },
      target: { name: 's_echo', original_name: 'echo' },
      metadata: {
        extra: { http_status: 403, backend_name: 's', policy_decision: 'deny', deciding_policies: ['policy1'] },
      },
    });
  });

  test('for a call of a tool that is hidden from the caller, the audit log records the outcome denied and no deciding policy', async () => {
    const log = await audited();
    const { record, isRefused } = await recordOfCall(log, await open(log), 's_log');
    expect(isRefused).toBe(true);
    expect(record).toMatchObject({
      outcome: 'denied',
      target: { name: 's_log', original_name: 'log' },
      metadata: { extra: { policy_decision: 'deny', deciding_policies: [], jsonrpc_error_code: -32_602 } },
    });
  });

  test('the audit log records no policy decision for a call of a tool that does not exist', async () => {
    const log = await audited();
    const { record, isRefused } = await recordOfCall(log, await open(log), 'nothing');
    expect(isRefused).toBe(true);
    expect(record).toMatchObject({
      outcome: isStateless ? 'failure' : 'application_error',
      target: { name: 'nothing' },
      metadata: { extra: { jsonrpc_error_code: -32_602, jsonrpc_error_message: expect.stringContaining('nothing') } },
    });
    expect(record.target).not.toHaveProperty('original_name');
    expect(record.metadata.extra).not.toHaveProperty('policy_decision');
  });

  test('the audit log records a call that exceeds a rate limit as failed, with the name of the limit', async () => {
    const bucket = { maxTokens: 1, refillPeriodMs: 3_600_000 };
    const rateLimiting: RateLimitPlan = { store: null, shared: null, perUser: bucket, tools: [] };
    const log = await audited({ rateLimiting });
    const client = await open(log);
    await recordOfCall(log, client, 'm_echo');
    await (client as unknown as Call).callTool({ name: 's_look', arguments: {} }).catch(() => {});
    const record = await log.recordOf('mcp_tool_call', ({ target }) => target.name === 's_look');
    expect(record).toMatchObject({
      outcome: 'failure',
      metadata: {
        extra: { http_status: isStateless ? 429 : 200, policy_decision: 'permit', rate_limited_by: 'per_user_server' },
      },
    });
  });

  test.each(['fail', 'best_effort'] as const)(
    'the audit log records the error of a call to an unavailable backend, with partialFailureMode %s',
    async partialFailure => {
      const away = await startSdkServer({ transport: 'streamable-http' });
      const log = await audited({
        backends: [...backends(), backendPlan('gone', away.url)],
        operational: { partialFailure, health: { intervalMs: 50, timeoutMs: 60_000, unhealthyThreshold: 1 } },
      });
      const client = await open(log);
      await away.close();
      await recordOfCall(log, client, 'gone_echo').catch(() => {});
      const gone = await log.recordOf('mcp_tool_call', ({ target }) => target.name === 'gone_echo');
      expect(['application_error', 'error']).toContain(gone.outcome);
      expect(gone.metadata.extra).toMatchObject({ backend_name: 'gone' });
      expect(gone.metadata.extra.jsonrpc_error_code).toBeLessThan(0);
      const isAway = async () =>
        (await log.gateway.status()).backends.some(({ name, status }) => name === 'gone' && status === 'unavailable');
      await expect.poll(isAway, { message: 'a probe finds it gone' }).toBe(true);
      await (client as unknown as Call).callTool({ name: 's_look', arguments: {} }).catch(() => {});
      const other = await log.recordOf('mcp_tool_call', ({ target }) => target.name === 's_look');
      expect(other.outcome === 'success').toBe(partialFailure === 'best_effort');
    },
  );

  test('the audit log names the backend of a call by the prefix of the tool, even if the backend has never answered', async () => {
    const log = await audited({
      backends: [...backends(), backendPlan('never', 'http://127.0.0.1:9/mcp')],
      operational: { health: { intervalMs: 50, timeoutMs: 60_000, unhealthyThreshold: 1 } },
    });
    const { record, isRefused } = await recordOfCall(log, await open(log), 'never_echo');
    expect(isRefused).toBe(true);
    expect(record).toMatchObject({
      target: { name: 'never_echo' },
      metadata: { extra: { backend_name: 'never', jsonrpc_error_code: -32_603 } },
    });
    expect(record.target).not.toHaveProperty('original_name');
  });

  test.each(['r_late_json', 'r_late_event'])(
    'the audit log records a call as failed even if the error is at the end of a large answer of the backend: %s',
    async name => {
      const log = await audited({ authorization: cedarPlan([EVERYBODY]) });
      const { record, isRefused } = await recordOfCall(log, await open(log), name, { secret: 'xyzzy' });
      expect(isRefused).toBe(true);
      expect(record).toMatchObject({ outcome: 'application_error', metadata: { extra: { backend_name: 'r' } } });
      const { jsonrpc_error_code: code, jsonrpc_error_message: message } = record.metadata.extra;
      // Of a code after 20 kB of the error itself, only the fact that there is an error is recorded.
      expect(code).toBe(name === 'r_late_json' ? undefined : LATE_ERROR.code);
      expect(message, 'what a backend says may quote arguments').toBeUndefined();
    },
  );

  test('the audit log records the outcome success for a call whose result contains text that looks like an error', async () => {
    const log = await audited({ authorization: cedarPlan([EVERYBODY]) });
    const { record, isRefused } = await recordOfCall(log, await open(log), 'r_long_result');
    expect(isRefused).toBe(false);
    expect(record).toMatchObject({ outcome: 'success' });
    expect(record.metadata.extra).not.toHaveProperty('jsonrpc_error_code');
    expect(record.metadata.extra.response_size_bytes).toBeGreaterThan(LONG.length);
  });

  test('the audit log marks the call of a failing tool with tool_error: true', async () => {
    const log = await audited({ authorization: cedarPlan([EVERYBODY]) });
    const { record } = await recordOfCall(log, await open(log), `${isStateless ? 'm' : 's'}_fail`);
    expect(record).toMatchObject({ outcome: 'success', metadata: { extra: { tool_error: true } } });
  });
});

test('the audit log with detectApplicationErrors off records the outcome of a call by the HTTP status alone', async () => {
  const log = await audited({ authorization: cedarPlan([EVERYBODY]) }, { detectApplicationErrors: false });
  const { record, isRefused } = await recordOfCall(log, await connect(log), 'r_late_event');
  expect(isRefused).toBe(true);
  expect(record).toMatchObject({ outcome: 'success' });
  expect(record.metadata.extra).not.toHaveProperty('jsonrpc_error_code');
});

test('the audit log records a request without a token as denied', async () => {
  const log = await audited();
  const answer = await fetch(log.gateway.url, { method: 'POST', headers: { 'X-Request-Id': 'r-1' } });
  expect(answer.status).toBe(401);
  expect(await log.recordOf('http_request')).toMatchObject({
    outcome: 'denied',
    source: { value: '127.0.0.1', extra: { request_id: 'r-1' } },
    subjects: { user: 'anonymous' },
    target: { endpoint: '/mcp', method: 'POST', type: 'endpoint' },
    metadata: { extra: { http_status: 401 } },
  });
});

test('an audit record names the clients that act for the user, at most maxDelegationDepth of them', async () => {
  const log = await audited({}, { maxDelegationDepth: 2 });
  const act = { sub: 'agent', client_id: 'a', act: { sub: 'broker', act: { sub: 'origin' } } };
  const { record } = await recordOfCall(log, await connect(log, { ...ALICE, act }), 'm_echo');
  expect(record.delegation).toEqual({
    chain: [{ subject: 'agent', client_id: 'a' }, { subject: 'broker' }],
    is_cut: true,
  });
});

test('maxDataSize cuts requests and answers in the audit log between characters, and the record has their full size', async () => {
  const maxDataBytes = 200;
  const log = await audited({}, { includeRequestData: true, includeResponseData: true, maxDataBytes });
  const client = await connect(log, ALICE);
  const args = { text: 'ü€😀'.repeat(200) };
  await client.callTool({ name: 's_echo', arguments: args });
  const { data } = await log.recordOf('mcp_tool_call');
  for (const side of ['request', 'response'] as const) {
    const kept = data[side] as string;
    expect([side, Buffer.byteLength(kept) <= maxDataBytes, Buffer.byteLength(kept) > maxDataBytes - 4]).toEqual([
      side,
      true,
      true,
    ]);
    expect(kept, 'whole characters').not.toContain('\ufffd');
    expect(data[`${side}_cut`]).toMatchObject({ bytes: expect.toSatisfy(bytes => bytes > maxDataBytes) });
  }
  await client.callTool({ name: 's_echo', arguments: {} });
  const short = await log.recordOf('mcp_tool_call', ({ data: { request } }) => !request.includes('ü'));
  expect(short.data).not.toHaveProperty('request_cut');
});

test('the audit log never contains the token of a caller, even if the client or the backend sends it as a name or as data', async () => {
  const log = await audited(
    { authorization: cedarPlan([EVERYBODY]) },
    { includeRequestData: true, includeResponseData: true, maxDataBytes: 40_000 },
  );
  const token = await idp.issue({ claims: ALICE });
  const client = new Client({ name: token, version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}`, 'X-Request-Id': token } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(log.gateway.url), { requestInit }) as Parameters<Client['connect']>[0],
  );
  onTestFinished(() => client.close());
  await client.callTool({ name: 's_echo', arguments: { token } });
  const record = await log.recordOf('mcp_tool_call');
  expect(record.data.request).toContain('"token":"[redacted]"');
  expect(record.data.response).toContain('[redacted]');
  expect(await log.text()).not.toContain(token);
});
