/** Attacks through the content of a JWT, and through a provider's keys. */

import type { JWK } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import { sendJson } from '../../../support/raw-server.ts';
import { describeAttacks } from '../attacks/suite.ts';
import { attempt, attemptWith, authPlan, Gate, providerPlan } from './harness.ts';
import { compact, goodClaims, startScriptedProvider } from './scripted-provider.ts';

const gate = new Gate();
afterEach(() => gate.dispose());

describeAttacks(async provider => {
  const own = new Gate();
  const auth = own.make(authPlan([provider]));
  return {
    send: async headers => {
      const outcome = await attemptWith(auth, headers);
      return 'identity' in outcome ? { status: 200, challenge: undefined, text: undefined } : outcome;
    },
    close: () => own.dispose(),
  };
});

test('the gateway refuses a token whose issuer lacks the final slash of the issuer in the plan', async () => {
  const own = await gate.keep(startScriptedProvider());
  const issuer = `${own.issuer}/`;
  own.answers.set('/.well-known/openid-configuration', (_request, response) =>
    sendJson(response, JSON.stringify({ issuer, jwks_uri: own.jwksUrl })),
  );
  const auth = gate.make(authPlan([providerPlan({ ...own, issuer })]));
  expect(await attempt(auth, await own.sign({ iss: issuer }))).toHaveProperty('identity');
  expect(await attempt(auth, await own.sign())).toMatchObject({
    status: 401,
    text: 'the token is from another issuer',
  });
});

describe('unusable keys of a provider', () => {
  async function outcomeWith(changes: object, keySet?: (key: JWK) => JWK[]) {
    const own = await gate.keep(startScriptedProvider());
    const key = { ...own.keys[0], ...changes } as JWK;
    own.answers.set('/jwks', (_request, response) =>
      sendJson(response, JSON.stringify({ keys: [...(keySet?.(key) ?? [key]), own.keys[1]] })),
    );
    return attempt(gate.make(authPlan([providerPlan(own)])), await own.sign());
  }

  test.each([
    ['for encryption', { use: 'enc' }],
    ['for another operation', { key_ops: ['encrypt'] }],
    ['for another algorithm', { alg: 'PS256' }],
  ])('the gateway refuses a token when the provider publishes its key %s', async (_name, changes) => {
    expect(await outcomeWith({})).toHaveProperty('identity');
    expect(await outcomeWith(changes)).toMatchObject({ status: 401, text: 'the token is signed with an unknown key' });
  });

  test('the gateway refuses a token when the provider publishes two keys of the same id and algorithm', async () => {
    expect(await outcomeWith({}, key => [key, key])).toMatchObject({
      status: 401,
      text: 'several keys match the token, and its key id (kid) does not choose one of the keys',
    });
  });

  test('the gateway refuses a token that is signed with an RSA key of 1024 bits', async () => {
    const { generateKeyPairSync, createSign } = await import('node:crypto');
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const own = await gate.keep(startScriptedProvider());
    const short = { ...publicKey.export({ format: 'jwk' }), kid: 'short' };
    own.answers.set('/jwks', (_request, response) => sendJson(response, JSON.stringify({ keys: [short] })));
    const token = compact({ alg: 'RS256', kid: 'short' }, goodClaims(own.issuer), input =>
      createSign('sha256').update(input).sign(privateKey),
    );
    expect(await attempt(gate.make(authPlan([providerPlan(own)])), token)).toMatchObject({ status: 401 });
  });
});
