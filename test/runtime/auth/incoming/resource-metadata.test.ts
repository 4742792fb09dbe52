/** Protected-resource metadata (RFC 9728) as clients get it, and plans without tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import type { IncomingAuthPlan, ResourceMetadataPlan } from '#schemas';
import { ANONYMOUS } from '../../../../runtime/auth/identity.ts';
import { createAuthenticator } from '../../../../runtime/auth/incoming/create-authenticator.ts';
import { createMetadataRoutes } from '../../../../runtime/auth/incoming/resource-metadata.ts';
import { Secrets } from '../../../../runtime/auth/secrets.ts';
import { attemptWith, authPlan, Gate } from './harness.ts';

const PLAN: ResourceMetadataPlan = {
  url: 'https://gateway.example/.well-known/oauth-protected-resource/mcp',
  paths: ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'],
  document: {
    resource: 'https://gateway.example/mcp',
    authorization_servers: ['https://idp.example/'],
    bearer_methods_supported: ['header'],
    scopes_supported: ['openid'],
  },
};

const routes = createMetadataRoutes(PLAN);
const server = createServer((req, res) => routes.get(req.url ?? '')?.(req, res));
let origin: string;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise(resolve => server.close(resolve)));

describe.each(PLAN.paths)('%s', path => {
  const ask = (method: string) => fetch(`${origin}${path}`, { method });

  test('pages of any origin can GET the metadata of the protected resource', async () => {
    const response = await ask('GET');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual(PLAN.document);
  });

  test('HEAD of the metadata of the protected resource has the same headers as GET', async () => {
    const response = await ask('HEAD');
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBe(JSON.stringify(PLAN.document).length);
    expect(await response.text()).toBe('');
  });

  test('OPTIONS of the metadata of the protected resource permits pages to send the headers of MCP', async () => {
    const response = await ask('OPTIONS');
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).toBe('*');
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])(
    'the metadata of the protected resource answers %s with 405',
    async method => {
      const response = await ask(method);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect(await response.json()).toEqual({ error: 'method_not_allowed' });
    },
  );
});

describe('a plan', () => {
  const gate = new Gate();
  afterEach(() => gate.dispose());
  const log = createLogger('silent');
  const make = (plan: IncomingAuthPlan) => createAuthenticator(plan, { secrets: new Secrets({ log }), log });

  test('the gateway serves the metadata of the protected resource only if its plan requires tokens', () => {
    expect([...gate.make(authPlan([], { resourceMetadata: PLAN })).routes.keys()]).toEqual(PLAN.paths);
    expect(gate.make(authPlan([])).routes.size).toBe(0);
  });

  test('incomingAuth of type anonymous identifies all requests as the same caller', async () => {
    const auth = make({ type: 'anonymous' });
    expect(await attemptWith(auth, ['Authorization', 'Bearer x'])).toEqual({ identity: ANONYMOUS });
    expect([auth.routes.size, auth.status()]).toEqual([0, []]);
  });

  test('incomingAuth of type local identifies all requests as the operating system user who runs the gateway', async () => {
    const subject = userInfo().username;
    expect(await attemptWith(make({ type: 'local' }), [])).toMatchObject({
      identity: {
        key: JSON.stringify(['lintel-local', subject]),
        caller: { issuer: 'lintel-local', subject, claims: { sub: subject }, token: null },
      },
    });
  });
});
