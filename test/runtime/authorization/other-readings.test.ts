/**
 * Servers may read a URI differently from policies, which compare its text: the official SDK normalizes URLs before it looks up the resource.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { initializeText, post } from '../client-edge/fake-gateway.ts';
import { CLIENTS, startGuarded } from '../edge-auth/guarded-gateway.ts';
import { bearer } from '../edge-auth/tokens.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { cedarPlan } from './plans.ts';

const ANN = { sub: 'ann' };

const POLICIES = [
  'permit(principal, action == Action::"read_resource", resource) when { resource.uri like "doc:///public/*" };',
];

/** Serves everything below `doc:///public/` by a template, and one resource elsewhere. Returns its URL. */
async function startDocuments(): Promise<string> {
  const http = createServer(async (request, response) => {
    const server = new McpServer({ name: 'documents', version: '1' });
    const read = (uri: URL) => ({ contents: [{ uri: uri.href, text: `text of ${uri.href}` }] });
    server.registerResource('plan', 'doc:///private/plan', {}, read);
    server.registerResource('public', new ResourceTemplate('doc:///public/{+path}', { list: undefined }), {}, read);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as Parameters<McpServer['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  await listenOnOwnPort(http, 0);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const ESCAPES = [
  'doc:///public/../private/plan',
  'doc:///public/%2e%2e/private/plan',
  'doc:///public/a/../../private/plan',
];

describe.each(CLIENTS)('%s', (_, connect) => {
  test('a client cannot read a resource that policies forbid by writing its URI in another way, such as with escapes', async () => {
    const documents = await startDocuments();
    const { url } = await startGuarded([backendPlan('s', documents)], cedarPlan(POLICIES));
    const ann = await connect(url, ANN);
    for (const uri of ESCAPES) await expect(ann.readResource(uri)).rejects.toThrow('resource not found');
    await expect(ann.readResource('doc:///public/..%2fprivate/plan')).rejects.toThrow('resource not found');
    await expect(ann.readResource('doc:///private/plan')).rejects.toThrow('resource not found');
    for (const name of ['a', 'a/b', 'a b', 'größe', 'a%20b', 'a%2Fb', './a', 'a/../b'])
      await expect(ann.readResource(`doc:///public/${name}`)).resolves.toMatchObject({ contents: [{}] });
  });

  test('without policies, the gateway sends a URI with escapes to the backend, which resolves the escapes', async () => {
    const documents = await startDocuments();
    const { url } = await startGuarded([backendPlan('s', documents)], { engine: 'none', policyCount: 0 });
    const ann = await connect(url, ANN);
    for (const uri of ESCAPES)
      await expect(ann.readResource(uri)).resolves.toMatchObject({
        contents: [{ text: 'text of doc:///private/plan' }],
      });
  });
});

test('a client cannot subscribe to a resource that policies forbid by writing its URI in another way, such as with escapes', async () => {
  const documents = await startDocuments();
  const { url } = await startGuarded([backendPlan('s', documents)], cedarPlan(POLICIES));
  const Authorization = bearer(ANN);
  const { headers } = await post(url, initializeText(), { Authorization });
  const session = { Authorization, 'Mcp-Session-Id': headers['mcp-session-id'] as string };
  for (const uri of ESCAPES) {
    const subscribe = { jsonrpc: '2.0', id: 5, method: 'resources/subscribe', params: { uri } };
    expect(JSON.parse((await post(url, JSON.stringify(subscribe), session)).text).error.code).toBe(-32002);
    const ref = { type: 'ref/resource', uri };
    const complete = { id: 6, method: 'completion/complete', params: { ref, argument: { name: 'path', value: '' } } };
    const reply = await post(url, formatRequest(complete), { ...findHeaders(complete), Authorization });
    expect(JSON.parse(reply.text).error.message).toBe('resource not found');
  }
});
