/** A gateway with policies whose callers have the test's tokens, and SDK clients for it. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { createLogger, type Logger } from '#runtime';
import type { AuthorizationPlan, BackendPlan, OptimizerPlan } from '#schemas';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { Gateway } from '../../../runtime/gateway/gateway.ts';
import { createRequestHandler } from '../../../runtime/gateway/sessions/requests.ts';
import { createStatelessHandler } from '../../../runtime/gateway/stateless/requests.ts';
import { startListener } from '../../../runtime/http/listener.ts';
import { createMcpEndpoint } from '../../../runtime/mcp/streamable-http/endpoint.ts';
import { FIRST_LIST_WAIT_MS, gatewayBundle } from '../../support/gateway.ts';
import { atOnce, bearer, type FakeToken } from './tokens.ts';

export interface GuardedGateway {
  readonly url: string;
  readonly gateway: Gateway;
  /** Serves the same backends with other policies. */
  swap(authorization: AuthorizationPlan): Promise<void>;
}

const SILENT = createLogger('silent');

export async function startGuarded(
  backends: readonly BackendPlan[],
  authorization: AuthorizationPlan,
  log: Logger = SILENT,
  optimizer?: OptimizerPlan,
): Promise<GuardedGateway> {
  const bundleWith = (plan: AuthorizationPlan) => ({
    ...gatewayBundle({ backends, ...(optimizer && { optimizer }) }),
    authorization: plan,
  });
  const gateway = await Gateway.open(bundleWith(authorization), createAuthorizer(authorization, log), {
    version: 'test',
    log,
    firstListWaitMs: FIRST_LIST_WAIT_MS,
  });
  const endpoint = createMcpEndpoint(createRequestHandler(gateway), createStatelessHandler(gateway), {
    log,
    authenticator: atOnce,
  });
  const routes = new Map([['/mcp', endpoint.handle]]);
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes,
    log,
    onDrain: () => endpoint.endStreams(),
  });
  onTestFinished(async () => {
    await listener.close(0);
    endpoint.close();
    await gateway.close();
  });
  await gateway.start();
  await gateway.settled();
  return {
    url: `http://127.0.0.1:${listener.address.port}/mcp`,
    gateway,
    swap: async plan => (await gateway.prepare(bundleWith(plan), createAuthorizer(plan, log))).use(),
  };
}

/** The functions of every kind of client that tests use. */
export interface GuardedClient {
  list(kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'): Promise<readonly string[]>;
  callTool(name: string, args?: Record<string, unknown>): Promise<unknown>;
  getPrompt(name: string): Promise<unknown>;
  readResource(uri: string): Promise<unknown>;
}

export type Connect = (url: string, token: FakeToken) => Promise<GuardedClient>;

export const CLIENTS: readonly (readonly [kind: string, connect: Connect])[] = [
  ['SDK v1', connectV1],
  ['SDK v2, stateless', (url, token) => connectV2(url, token, 'auto')],
  ['SDK v2, session', (url, token) => connectV2(url, token, 'legacy')],
];

async function connectV1(url: string, token: FakeToken): Promise<GuardedClient> {
  const client = new ClientV1({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: bearer(token) } };
  await client.connect(new TransportV1(new URL(url), { requestInit }) as Parameters<ClientV1['connect']>[0]);
  return faceOf(client as unknown as AnyClient);
}

async function connectV2(url: string, token: FakeToken, mode: 'auto' | 'legacy'): Promise<GuardedClient> {
  const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: bearer(token) } };
  await client.connect(new TransportV2(new URL(url), { requestInit }));
  return faceOf(client as unknown as AnyClient);
}

/** The interface that clients of both SDKs share. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getPrompt(params: { name: string }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

function faceOf(client: AnyClient): GuardedClient {
  onTestFinished(() => client.close());
  const lists = {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    resourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates.map(t => t.uriTemplate),
  };
  return {
    list: kind => lists[kind](),
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    getPrompt: name => client.getPrompt({ name }),
    readResource: uri => client.readResource({ uri }),
  };
}
