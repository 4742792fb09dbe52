import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { ask } from '../stateless-edge/requests.ts';

describe('lists for clients of the stateless revision', () => {
  let backend: SdkServer;
  let gateway: TestGateway;

  beforeAll(async () => {
    backend = await startSdkServer({ transport: 'streamable-http' });
    gateway = await startGateway({ backends: [backendPlan('sdk', backend.url)] });
  });

  afterAll(async () => {
    await gateway.stop();
    await backend.close();
  });

  test.each([
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ])(
    '%s of a stateless client returns the same items as in a session, and how long they are valid',
    async (method, member) => {
      const raw = new RawClient(gateway.url);
      await raw.open();
      const inSession = await raw.result<{ [name: string]: unknown }>(method);
      const { status, text } = await ask(gateway.url, { method });
      expect({ status, result: JSON.parse(text).result }).toEqual({
        status: 200,
        result: {
          resultType: 'complete',
          ttlMs: 5000,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: VERSION } },
          [member]: inSession[member],
        },
      });
    },
  );

  test('the gateway refuses a cursor that it did not issue', async () => {
    const { status, text } = await ask(gateway.url, { method: 'tools/list', params: { cursor: 'x' } });
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 400, code: -32602 });
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'unknown/method',
  ])('the gateway answers a stateless %s with 404, since the revision does not have this method', async method => {
    const { status, text } = await ask(gateway.url, { method, id: 'm' });
    const { id, error } = JSON.parse(text);
    expect({ status, id, code: error.code }).toEqual({ status: 404, id: 'm', code: -32601 });
  });

  test('the official client, version 2, discovers the gateway and lists tools, prompts and resources', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    expect(client.getServerVersion()).toMatchObject({ name: 'test', version: VERSION });
    expect((await client.listTools()).tools.map(tool => tool.name)).toContain('sdk_echo');
    await client.close();
  });
});
