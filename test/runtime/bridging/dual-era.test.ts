/**
 * A backend that supports both eras: a client gets through the gateway what it gets directly. Clients in sessions use sessions, because they
 * would otherwise lose server-initiated requests, log messages and subscriptions; stateless clients use stateless requests.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startDualServer } from '../../support/dual-server.ts';
import { FASTMCP, startFastMcp } from '../../support/fastmcp-server.ts';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';

const CAPABILITIES = { elicitation: { form: {} }, sampling: {} };
const ELICITED = { action: 'accept' as const, content: { value: 'Ada' } };
const SAMPLED = { model: 'test', role: 'assistant' as const, content: { type: 'text' as const, text: '4' } };

/** What the tests need of a client. */
interface AnyClient {
  callTool(params: { name: string }): Promise<unknown>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

interface Connected {
  readonly client: AnyClient;
  /** The methods of the received notifications. */
  readonly heard: readonly string[];
}

async function connectV1(url: string): Promise<Connected> {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: CAPABILITIES });
  const heard: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
  await client.connect(new TransportV1(new URL(url)));
  onTestFinished(() => client.close());
  return { client, heard };
}

async function connectV2(url: string, mode: 'legacy' | 'auto'): Promise<Connected> {
  const options = { capabilities: CAPABILITIES, versionNegotiation: { mode } };
  const client = new ClientV2({ name: 'test', version: '1' }, options);
  const heard: string[] = [];
  client.setRequestHandler('elicitation/create', () => ELICITED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
  await client.connect(new TransportV2(new URL(url)));
  onTestFinished(() => client.close());
  return { client: client as unknown as AnyClient, heard };
}

const CLIENTS = [
  ['SDK v1', true, connectV1],
  ['SDK v2 in a session', true, (url: string) => connectV2(url, 'legacy')],
  ['SDK v2, stateless', false, (url: string) => connectV2(url, 'auto')],
] as const;

async function gatewayOf(url: string): Promise<TestGateway> {
  const gateway = await startGateway({ backends: [backendPlan('b', url)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

/** The results of tools, or the code of the error. */
async function answersOf({ client }: Connected, names: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const name of names) {
    answers.push(
      await client.callTool({ name }).then(
        result => (result as { content: unknown }).content,
        error => (error as { code: unknown }).code,
      ),
    );
  }
  return answers;
}

describe('a dual-era server of the official SDK', () => {
  const TOOLS = ['era', 'ask', 'sample'];

  test.each(CLIENTS)(
    'the client "%s" gets the same answers from a dual-era server of the SDK through the gateway as without the gateway',
    async (_name, isSession, connect) => {
      const server = await startDualServer();
      onTestFinished(() => server.close());
      const gateway = await gatewayOf(server.url);
      const direct = await answersOf(await connect(server.url), TOOLS);
      const prefixed = TOOLS.map(name => `b_${name}`);
      expect(await answersOf(await connect(gateway.url), prefixed)).toEqual(direct);
      // So there is something to lose.
      expect(direct[0]).toMatchObject([{ text: isSession ? 'legacy' : 'modern' }]);
      expect(JSON.stringify(direct).includes('Ada')).toBe(isSession);
    },
  );

  test('a client in a session gets resource updates and log messages from a dual-era backend', async () => {
    const server = await startDualServer();
    onTestFinished(() => server.close());
    const { client, heard } = await connectV1((await gatewayOf(server.url)).url);
    await client.subscribeResource({ uri: 'memo://one' });
    await server.update();
    await eventually(() => heard.includes('notifications/resources/updated'));
    await client.callTool({ name: 'b_log' });
    await eventually(() => heard.includes('notifications/message'));
    expect(server.requests).toContainEqual({ method: 'resources/subscribe', isSession: true });
  });

  test('the gateway sends server/discover to a dual-era backend (sessions and stateless) no more often when more clients connect', async () => {
    const server = await startDualServer();
    onTestFinished(() => server.close());
    const gateway = await gatewayOf(server.url);
    const asked = () => server.requests.filter(({ method }) => method === 'server/discover').length;
    const opened = () => server.requests.filter(({ method }) => method === 'initialize').length;
    await (await connectV1(gateway.url)).client.callTool({ name: 'b_era' });
    // The probe, the discovery for such clients, and the session of this one.
    await eventually(() => opened() === 3);
    const before = { asked: asked(), opened: opened() };
    for (let clients = 0; clients < 5; clients++)
      await (await connectV1(gateway.url)).client.callTool({ name: 'b_era' });
    expect({ asked: asked(), opened: opened() }).toEqual({ asked: before.asked, opened: before.opened + 5 });
  });

  test('the gateway uses a dual-era backend without sessions once the backend drops its sessions and opens none', async () => {
    const server = await startDualServer();
    onTestFinished(() => server.close());
    const connected = await connectV1((await gatewayOf(server.url)).url);
    expect(await answersOf(connected, ['b_era'])).toMatchObject([[{ text: 'legacy' }]]);
    server.dropSessions();
    expect(await answersOf(connected, ['b_era', 'b_era'])).toMatchObject([[{ text: 'modern' }], [{ text: 'modern' }]]);
  });
});

describe.skipIf(FASTMCP === undefined)('FastMCP (skipped: no Python with fastmcp 4, see LINTEL_FASTMCP_PYTHON)', () => {
  test.each(CLIENTS)(
    'the client "%s" gets the same answers from FastMCP through the gateway as without the gateway',
    async (_name, isSession, connect) => {
      const server = await startFastMcp();
      onTestFinished(() => server.close());
      const gateway = await gatewayOf(server.url);
      const direct = await answersOf(await connect(server.url), ['ask', 'sample']);
      const through = await answersOf(await connect(gateway.url), ['b_ask', 'b_sample']);
      expect(through).toEqual(direct);
      expect(JSON.stringify(direct).includes('Ada')).toBe(isSession);
    },
  );
});
