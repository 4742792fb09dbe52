/** Which headers the gateway sends to backends: keys, fixed headers, and forwarded headers of clients. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BackendPlan } from '#schemas';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { BACKEND_KINDS, CLIENT_KINDS, connect, type GuardedBackend, startBackend, startServed } from './harness.ts';

process.env.API_KEY = 'key-1';

const env = (name: string) => ({ env: name, file: null });

const injected = (backend: GuardedBackend, more: Partial<BackendPlan> = {}): BackendPlan =>
  backendPlan('s', backend.url, {
    auth: { type: 'header_injection', header: 'X-API-Key', value: env('API_KEY') },
    ...more,
  });

describe.each(BACKEND_KINDS)('a backend of kind %s', backendKind => {
  describe.each(CLIENT_KINDS)('and a client of kind %s', clientKind => {
    test('a backend gets its configured key and headers with every request, and no header of the client', async () => {
      const backend = await startBackend(backendKind, ({ headers }) =>
        headers['x-api-key'] === 'key-1' ? undefined : 401,
      );
      const headers = [
        { name: 'X-Env', value: { type: 'text', text: 'prod' } },
        { name: 'X-Key-Too', value: { type: 'secret', from: env('API_KEY') } },
        // Both are overridden: by the credential, and by MCP's own headers.
        { name: 'x-api-key', value: { type: 'text', text: 'forwarded' } },
        { name: 'User-Agent', value: { type: 'text', text: 'mine' } },
      ] as const;
      const { url, status } = await startServed({ backends: [injected(backend, { headers })] });
      const client = await connect(clientKind, url, () => ({
        authorization: 'Bearer of-the-client',
        cookie: 'c=1',
        'x-tenant': 'acme',
        'x-api-key': 'of the client',
      }));
      expect(await client.tools()).toContain('s_echo');
      expect(await client.call('s_echo', { a: 1 })).toBe('{"a":1}');
      expect((await status()).backends[0]?.status).toBe('ready');
      expect(backend.received.length).toBeGreaterThan(2);
      for (const { headers: seen } of backend.received) {
        expect(seen).toMatchObject({ 'x-api-key': 'key-1', 'x-env': 'prod', 'x-key-too': 'key-1' });
        expect(seen['user-agent']).toMatch(/^lintel\//);
        for (const name of ['authorization', 'cookie', 'x-tenant']) expect(seen).not.toHaveProperty(name);
      }
    });

    test('a backend gets the passthrough headers of each request, and requests with different values of them share no session', async () => {
      const backend = await startBackend(backendKind, () => undefined);
      const plan = backendPlan('s', backend.url);
      const { url } = await startServed({ backends: [plan], passthroughHeaders: ['x-tenant'] });
      const tenants = ['acme', 'umbrella'];
      const clients = await Promise.all(
        tenants.map(tenant => connect(clientKind, url, () => ({ 'X-Tenant': tenant, 'X-Other': 'no' }))),
      );
      const rounds = Array.from({ length: 6 }, (_, round) => round);
      await Promise.all(
        rounds.flatMap(() => clients.map((client, index) => client.call('s_echo', { tenant: tenants[index] }))),
      );
      const tenantsOfSessions = new Map<unknown, Set<unknown>>();
      for (const { headers, body } of backend.calls()) {
        const { tenant } = (JSON.parse(body) as { params: { arguments: { tenant: string } } }).params.arguments;
        expect(headers['x-tenant']).toBe(tenant);
        expect(headers).not.toHaveProperty('x-other');
        const session = headers['mcp-session-id'] ?? tenant;
        tenantsOfSessions.set(session, (tenantsOfSessions.get(session) ?? new Set()).add(tenant));
      }
      expect([...tenantsOfSessions.values()].map(({ size }) => size)).toEqual([...tenantsOfSessions].map(() => 1));
      // The client's session id is not forwarded either; MCP uses a header of the same name.
      for (const { headers, rpc } of backend.received) {
        if (rpc === 'initialize' || backendKind === 'stateless') expect(headers).not.toHaveProperty('mcp-session-id');
      }
    });

    test('a backend gets the passthrough headers of each request, also when requests of one client arrive before there is a backend session', async () => {
      const backend = await startBackend(backendKind, () => undefined);
      const plan = backendPlan('s', backend.url);
      const { url } = await startServed({ backends: [plan], passthroughHeaders: ['x-tenant'] });
      let at = 0;
      const client = await connect(clientKind, url, () => ({ 'x-tenant': String(at++) }));
      await Promise.all(Array.from({ length: 8 }, () => client.call('s_echo', {})));
      const tenants = backend.calls().map(({ headers }) => headers['x-tenant']);
      expect(tenants).toHaveLength(8);
      expect(new Set(tenants).size).toBe(8);
    });

    test('a backend gets a rotated key without a restart of the gateway', async () => {
      const folder = await temporaryFolder({ key: 'first\n' });
      onTestFinished(() => folder[Symbol.asyncDispose]());
      const file = join(folder.path, 'key');
      let valid = 'first';
      const backend = await startBackend(backendKind, ({ headers }) =>
        headers['x-api-key'] === valid ? undefined : 401,
      );
      const auth = { type: 'header_injection', header: 'X-API-Key', value: { env: null, file } } as const;
      const { url } = await startServed({ backends: [backendPlan('s', backend.url, { auth })] });
      const client = await connect(clientKind, url, () => ({}));
      expect(await client.call('s_echo', { a: 1 })).toBe('{"a":1}');
      await writeFile(file, 'second\n');
      valid = 'second';
      const isThrough = () => client.call('s_echo', { a: 2 }).catch(() => undefined);
      expect(await eventually(isThrough)).toBe('{"a":2}');
    });
  });
});

describe('a new bundle', () => {
  test('a new bundle with another key opens new sessions with that key, and ends the former sessions', async () => {
    process.env.OTHER_KEY = 'key-2';
    const backend = await startBackend('sessions', () => undefined);
    const { url, replace } = await startServed({ backends: [injected(backend)] });
    const client = await connect('session', url, () => ({}));
    await client.call('s_echo');
    const former = backend.calls()[0]?.headers['mcp-session-id'];
    const auth = { type: 'header_injection', header: 'X-API-Key', value: env('OTHER_KEY') } as const;
    await replace({ backends: [injected(backend, { auth })] });
    await eventually(async () => {
      await client.call('s_echo');
      return backend.calls().at(-1)?.headers['x-api-key'] === 'key-2';
    });
    expect(backend.calls().at(-1)?.headers['mcp-session-id']).not.toBe(former);
    await eventually(() =>
      backend.received.some(({ method, headers }) => method === 'DELETE' && headers['mcp-session-id'] === former),
    );
    // The session ends with the credential with which it was opened.
    for (const { headers } of backend.received.filter(({ headers }) => headers['mcp-session-id'] === former)) {
      expect(headers['x-api-key']).toBe('key-1');
    }
  });

  test('forwarded headers of a new bundle apply from the next request on', async () => {
    const backend = await startBackend('sessions', () => undefined);
    const backends = [backendPlan('s', backend.url)];
    const { url, replace } = await startServed({ backends });
    const client = await connect('session', url, () => ({ 'x-tenant': 'acme' }));
    await client.call('s_echo');
    expect(backend.calls().at(-1)?.headers).not.toHaveProperty('x-tenant');
    await replace({ backends, passthroughHeaders: ['x-tenant'] });
    await eventually(async () => {
      await client.call('s_echo');
      return backend.calls().at(-1)?.headers['x-tenant'] === 'acme';
    });
  });

  test('the gateway refuses a new bundle with a missing secret, and keeps the served bundle', async () => {
    const backend = await startBackend('sessions', () => undefined);
    const { replace, status, connect: client } = await startServed({ backends: [backendPlan('s', backend.url)] });
    const auth = { type: 'header_injection', header: 'X-API-Key', value: env('NOWHERE') } as const;
    await replace({ backends: [injected(backend, { auth })] });
    const refused = await eventually(async () => (await status()).bundle.refused);
    expect(refused).toMatch(
      /backend "s": the value of header X-API-Key in header_injection for backend "s" is missing: environment variable NOWHERE is not set/,
    );
    expect((await (await client()).listTools()).tools.length).toBeGreaterThan(0);
  });
});

test.each(['Mcp-Session-Id', 'Last-Event-ID', 'Content-Type'])(
  'the gateway refuses a bundle that sets the header %s, which belongs to the protocol',
  async name => {
    const backend = await startBackend('sessions', () => undefined);
    const headers = [{ name, value: { type: 'text', text: 'mine' } }] as const;
    await expect(startServed({ backends: [injected(backend, { headers })] })).rejects.toThrow(
      /belongs to the protocol/,
    );
  },
);
