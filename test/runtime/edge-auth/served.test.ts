/** The whole runtime: tokens of a real identity provider, policies, and bundles that replace each other. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BundleError, createLogger, serve } from '#runtime';
import { formatCanonicalJson, type ResourceMetadataPlan, type TokenAuthPlan } from '#schemas';
import { type BundleOptions, backendPlan, eventually, gatewayBundle, startGateway } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { temporaryFolder } from '../../support/process.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { initializeText, open, post } from '../client-edge/fake-gateway.ts';

const PATH = '/.well-known/oauth-protected-resource';

const METADATA: ResourceMetadataPlan = {
  url: `https://gateway.example${PATH}/mcp`,
  paths: [`${PATH}/mcp`, PATH],
  document: {
    resource: 'https://gateway.example/mcp',
    authorization_servers: ['https://idp.example'],
    bearer_methods_supported: ['header'],
  },
};

let idp: IdentityProvider;
let backend: SdkServer;
let plan: TokenAuthPlan;

beforeAll(async () => {
  [idp, backend] = await Promise.all([startIdentityProvider(), startSdkServer({ transport: 'streamable-http' })]);
  plan = authPlan([providerPlan(idp)], { resourceMetadata: METADATA });
});

afterAll(() => Promise.all([idp.close(), backend.close()]));

const OPS = 'permit(principal in Group::"ops", action, resource);';

async function started(more: Partial<BundleOptions> = {}) {
  const options = { backends: [backendPlan('s', backend.url)], ...more };
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

const tokenFor = async (sub: string, groups: readonly string[] = []) =>
  `Bearer ${await idp.issue({ claims: { sub, groups } })}`;

describe('a gateway that requires tokens', () => {
  test('the challenge for a request without a token names the metadata of the gateway, and pages of any origin can read this metadata', async () => {
    const { url } = await started({ incomingAuth: plan });
    const reply = await post(url, initializeText());
    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toContain(`resource_metadata="${METADATA.url}"`);
    for (const path of METADATA.paths) {
      const metadata = await fetch(new URL(path, url), { headers: { Origin: 'https://page.example' } });
      expect(metadata.headers.get('access-control-allow-origin')).toBe('*');
      expect(await metadata.json()).toEqual(METADATA.document);
      expect((await fetch(new URL(path, url), { method: 'OPTIONS' })).status).toBe(204);
    }
  });

  test('an SDK client with a token sees the tools that the groups of its caller may use', async () => {
    const { url, status } = await started({ incomingAuth: plan, authorization: cedarPlan([OPS]) });
    const toolsOf = async (sub: string, groups: readonly string[]) => {
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { Authorization: await tokenFor(sub, groups) } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit }) as Parameters<Client['connect']>[0],
      );
      onTestFinished(() => client.close());
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    expect(await toolsOf('olga', ['ops'])).toContain('s_echo');
    expect(await toolsOf('alice', ['dev'])).toEqual([]);
    expect(await status()).toMatchObject({
      authentication: { type: 'oidc', providers: [{ name: 'corp', issuer: idp.issuer, message: '' }] },
      authorization: { engine: 'cedar', policyCount: 1, errorCount: 0 },
    });
  });

  test('a session continues for a renewed token of its owner, and ends for any other caller', async () => {
    const { url } = await started({ incomingAuth: plan });
    const opened = await post(url, initializeText(), { Authorization: await tokenFor('alice') });
    const session = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] as string };
    const ping = (Authorization: string | undefined) =>
      post(url, '{"jsonrpc":"2.0","id":1,"method":"ping"}', { ...session, Authorization });
    expect((await ping('Bearer nonsense')).status).toBe(401);
    expect((await ping(undefined)).status).toBe(401);
    expect((await ping(await tokenFor('alice'))).status).toBe(200);
    expect((await ping(await tokenFor('mallory'))).status).toBe(403);
    expect((await ping(await tokenFor('alice'))).status).toBe(404);
  });
});

test('existing sessions need a token after a new bundle that requires tokens, and the gateway serves resource metadata only under such a bundle', async () => {
  const backends = [backendPlan('s', backend.url)];
  const { url, replace } = await started();
  const opened = await post(url, initializeText());
  const session = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] as string };
  const stream = await open(url, 'GET', { ...session, Accept: 'text/event-stream' });
  const ping = (headers: Record<string, string> = {}) =>
    post(url, '{"jsonrpc":"2.0","id":1,"method":"ping"}', { ...session, ...headers });
  expect((await ping()).status).toBe(200);
  expect((await fetch(new URL(PATH, url))).status).toBe(404);

  await replace({ backends, incomingAuth: plan });
  for await (const _ of stream); // The stream ends: its client has to authenticate again.
  expect((await ping()).status).toBe(401);
  expect((await fetch(new URL(PATH, url))).status).toBe(200);
  expect((await ping({ Authorization: await tokenFor('alice') })).status).toBe(403);

  await replace({ backends });
  await eventually(async () => (await fetch(new URL(PATH, url))).status === 404);
  expect((await post(url, initializeText())).status).toBe(200);
});

test('a web page of the origin of the public URL in the bundle may call the gateway, also through a proxy on this machine', async () => {
  const backends = [backendPlan('s', backend.url)];
  const { url, replace } = await started({ incomingAuth: plan });
  const statusFor = async (Origin: string, Host: string) =>
    (await post(url, initializeText(), { Origin, Host, Authorization: await tokenFor('alice') })).status;
  expect(await statusFor('https://gateway.example', 'gateway.example')).toBe(200);
  expect(await statusFor('https://gateway.example', new URL(url).host)).toBe(200);
  expect(await statusFor('https://page.example', 'gateway.example')).toBe(403);
  expect(await statusFor('https://gateway.example.page.example', 'gateway.example')).toBe(403);

  await replace({ backends });
  await eventually(async () => (await statusFor('https://gateway.example', 'gateway.example')) === 403);
});

test('the gateway keeps the served bundle when the policies of a new bundle cannot be read', async () => {
  const backends = [backendPlan('s', backend.url)];
  const { replace, status } = await started({ authorization: cedarPlan([OPS]) });
  await replace({ backends, authorization: cedarPlan([OPS, 'permit(']) });
  const page = await eventually(async () => {
    const now = await status();
    return now.bundle.refused === null ? undefined : now;
  });
  expect(page.bundle.refused).toMatch(/bundle\.json: authorization: policy "policy1" \(policy1\) cannot be read: /);
  expect(page.authorization.policyCount).toBe(1);
});

describe('local authentication', () => {
  const listen = async (host: string) => {
    await using folder = await temporaryFolder({
      'bundle.json': formatCanonicalJson(gatewayBundle({ backends: [], incomingAuth: { type: 'local' } })),
    });
    const runtime = await serve(
      {
        bundle: folder.path,
        gateway: undefined,
        listen: { host, port: 0 },
        internal: { host: '127.0.0.1', port: 0 },
        watch: false,
      },
      createLogger('silent'),
    );
    onTestFinished(() => runtime.stop());
    return runtime;
  };

  test.each(['0.0.0.0', '::', '192.0.2.1', 'gateway.example'])(
    'a gateway with local authentication does not listen on %s',
    async host => {
      await expect(listen(host)).rejects.toThrow(BundleError);
      await expect(listen(host)).rejects.toThrow(/"local" lets every caller in .* listen on a loopback address/);
    },
  );

  test.each(['127.0.0.1', 'localhost'])('a gateway with local authentication listens on %s', async host => {
    const { url } = await listen(host);
    expect((await post(url, initializeText())).status).toBe(200);
  });
});
