/** What happens when a backend refuses a credential: one more attempt with a new one, a challenge, or an error message. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OutgoingAuthPlan, TokenAuthPlan } from '#schemas';
import { backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import {
  BACKEND_KINDS,
  type BackendKind,
  CLIENT_KINDS,
  type ClientKind,
  connect,
  type Heard,
  type Received,
  startBackend,
  startServed,
  startTokenEndpoint,
} from './harness.ts';

process.env.API_KEY = 'key-1';

let idp: IdentityProvider;
let incomingAuth: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  incomingAuth = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());
afterEach(() => void vi.useRealTimers());

const KEY: OutgoingAuthPlan = { type: 'header_injection', header: 'X-API-Key', value: { env: 'API_KEY', file: null } };

/** After this time a credential no longer counts as new. */
const later = (): void => void vi.setSystemTime(Date.now() + 6_000);

const isCall = ({ rpc }: Received): boolean => rpc === 'tools/call';

async function served(backendKind: BackendKind, clientKind: ClientKind, auth: OutgoingAuthPlan, sub = 'alice') {
  const backend = await startBackend(backendKind, () => undefined);
  const gateway = await startServed({ backends: [backendPlan('s', backend.url, { auth })], incomingAuth });
  const heard: Heard[] = [];
  const token = await idp.issue({ claims: { sub } });
  const client = await connect(clientKind, gateway.url, () => ({ authorization: `Bearer ${token}` }), heard);
  expect(await client.tools()).toContain('s_echo');
  heard.splice(0); // A stateless client first tries other transports.
  return { backend, gateway, client, heard };
}

describe.each(BACKEND_KINDS)('a backend of kind %s', backendKind => {
  describe.each(CLIENT_KINDS)('and a client of kind %s', clientKind => {
    test('a client must log in again when a backend refuses the credential of its caller', async () => {
      const { plan } = await startTokenEndpoint();
      const { backend, client, heard } = await served(backendKind, clientKind, plan);
      backend.check = request => (isCall(request) ? 401 : undefined);
      await expect(client.call('s_echo')).rejects.toThrow();
      expect(heard).toHaveLength(1);
      const { status, headers, text } = heard[0] as Heard;
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm=".*", error="invalid_token", error_description="/);
      expect(JSON.parse(text)).toMatchObject({
        jsonrpc: '2.0',
        error: {
          code: 401,
          message: 'backend "s": refused the credential of the caller by token_exchange (HTTP 401); log in again',
          data: { backend: 's', reason: 'login_required' },
        },
      });
      // The credential is new, so another one would be refused too.
      expect(backend.calls()).toHaveLength(1);
      backend.check = () => undefined;
      expect(await client.call('s_echo', { a: 1 })).toBe('{"a":1}');
    });

    test('a call succeeds with a new credential when a backend refuses the old credential', async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const { plan, subjects } = await startTokenEndpoint();
      const { backend, client, heard } = await served(backendKind, clientKind, plan);
      await client.call('s_echo');
      const exchanges = subjects.length;
      later();
      let refusals = 0;
      backend.check = request => (isCall(request) && refusals++ === 0 ? 401 : undefined);
      const before = backend.calls().length;
      expect(await client.call('s_echo', { a: 2 })).toBe('{"a":2}');
      expect(subjects.length).toBe(exchanges + 1);
      expect(backend.calls().slice(before)).toHaveLength(2);
      expect(heard).toEqual([]);
    });

    test('a client gets a challenge after two attempts when a backend refuses every credential', async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const { plan } = await startTokenEndpoint();
      const { backend, client, heard } = await served(backendKind, clientKind, plan);
      await client.call('s_echo');
      later();
      backend.check = request => (isCall(request) ? 401 : undefined);
      await expect(client.call('s_echo')).rejects.toThrow();
      expect(backend.calls()).toHaveLength(1 + 2);
      expect(heard.map(({ status }) => status)).toEqual([401]);
    });

    test.each<[string, number, OutgoingAuthPlan | undefined, string]>([
      [
        'a permission of the caller',
        403,
        undefined,
        'refused the credential of the caller by token_exchange (HTTP 403)',
      ],
      ['the key of the gateway', 401, KEY, 'refused the credential of the gateway by header_injection (HTTP 401)'],
      [
        'a call without a credential',
        401,
        { type: 'unauthenticated' },
        'refused the credentials of the request (HTTP 401)',
      ],
    ])('a client gets an error and no challenge when a backend refuses %s', async (_, status, auth, message) => {
      const { plan } = await startTokenEndpoint();
      const { backend, client, heard } = await served(backendKind, clientKind, auth ?? plan);
      backend.check = request => (isCall(request) ? status : undefined);
      await expect(client.call('s_echo')).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining(`backend "s": ${message}`),
        data: { backend: 's', reason: 'unauthenticated' },
      });
      expect(heard).toEqual([]);
      expect(backend.calls()).toHaveLength(1);
    });

    test('only a caller whose token the token endpoint refuses must log in again', async () => {
      const endpoint = await startTokenEndpoint();
      const { gateway, client, backend } = await served(backendKind, clientKind, endpoint.plan);
      const { give } = endpoint;
      const token = await idp.issue({ claims: { sub: 'bob' } });
      endpoint.give = subject => (subject === token ? undefined : give(subject));
      const heard: Heard[] = [];
      const bob = await connect(clientKind, gateway.url, () => ({ authorization: `Bearer ${token}` }), heard);
      heard.splice(0);
      const attempts = Array.from({ length: 4 }, () => bob.call('s_echo', { who: 'bob' }));
      const others = Array.from({ length: 4 }, () => client.call('s_echo', { who: 'alice' }));
      expect((await Promise.allSettled(attempts)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
      expect(await Promise.all(others)).toEqual(Array(4).fill('{"who":"alice"}'));
      expect(heard.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(heard.map(({ text }) => text).join()).not.toContain(token);
      expect(backend.calls().filter(({ body }) => body.includes('bob'))).toEqual([]);
    });
  });
});
