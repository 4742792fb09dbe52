/** To which providers the gateway sends an opaque token: to each that may have issued it until one confirms it, and then only to that one. */
import { afterEach, describe, expect, test } from 'vitest';
import { OpaqueIssuers } from '../../../../runtime/auth/incoming/opaque-issuers.ts';
import { INTROSPECTION_FRESH_MS } from '../../../../runtime/auth/incoming/token-provider.ts';
import { sendJson } from '../../../support/raw-server.ts';
import { attempt, authPlan, Gate, providerPlan, TestClock } from './harness.ts';
import { goodClaims, type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

const gate = new Gate();
afterEach(() => gate.dispose());

/** Two providers in a fixed order; the second confirms every token until a test changes that. */
async function twoProviders() {
  const [first, second] = [await gate.keep(startScriptedProvider()), await gate.keep(startScriptedProvider())];
  first.answers.set('/introspect', (_request, response) => sendJson(response, '{"active":false}'));
  second.answers.set('/introspect', (_request, response) =>
    sendJson(response, JSON.stringify({ active: true, ...goodClaims(second.issuer, { sub: 'bob' }) })),
  );
  const introspecting = (idp: ScriptedProvider, name: string) =>
    providerPlan(idp, { name, introspection: { url: idp.introspectionUrl, credentials: { type: 'none' } } });
  const clock = new TestClock();
  const auth = gate.make(authPlan([introspecting(first, 'first'), introspecting(second, 'second')]), clock);
  const asked = () => [first, second].map(idp => idp.count('/introspect'));
  return { auth, clock, asked, second };
}

describe('an opaque token', () => {
  test('once the gateway knows which provider issued an opaque token, it introspects the token only at that provider', async () => {
    const { auth, clock, asked } = await twoProviders();
    expect(await attempt(auth, 'token-1')).toHaveProperty('identity');
    expect(asked()).toEqual([1, 1]);
    clock.forward(INTROSPECTION_FRESH_MS);
    expect(await attempt(auth, 'token-1')).toHaveProperty('identity');
    expect(asked()).toEqual([1, 2]);
    expect(await attempt(auth, 'token-2')).toHaveProperty('identity');
    expect(asked()).toEqual([2, 3]);
  });

  test('when the known issuer of an opaque token refuses it, the gateway refuses the token and introspects it at no other provider', async () => {
    const { auth, clock, asked, second } = await twoProviders();
    await attempt(auth, 'token-1');
    second.answers.set('/introspect', (_request, response) => sendJson(response, '{"active":false}'));
    clock.forward(INTROSPECTION_FRESH_MS);
    expect(await attempt(auth, 'token-1')).toMatchObject({ status: 401, text: 'the token is not active' });
    expect(asked()).toEqual([1, 2]);
  });
});

test('the cache of the issuers of opaque tokens has a limit, and drops the oldest entries', () => {
  const issuers = new OpaqueIssuers<string>(2);
  expect(issuers.get('a')).toBeUndefined();
  issuers.remember('a', 'A');
  issuers.remember('b', 'B');
  issuers.remember('a', 'A2');
  issuers.remember('c', 'C');
  expect(['a', 'b', 'c'].map(token => issuers.get(token))).toEqual(['A2', undefined, 'C']);
});
