/**
 * The Secrets to which `signingKeySecretRefs` points must contain keys in PEM, which is checked if the Secret is in the sources. The keys are
 * generated here, so none is in the repository.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { findings, object } from '../../support/rule.ts';

const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const pem = (key: KeyObject, options: object = {}) =>
  String(key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem', ...options } as never));

const server = object(
  'MCPExternalAuthConfig',
  `
  type: embeddedAuthServer
  embeddedAuthServer:
    issuer: https://a.example.com
    upstreamProviders: [{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }]
    signingKeySecretRefs:
      - { name: keys, key: first }`,
);
const secret = (text: string, field = 'data') =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\n${field}: { first: ${
    field === 'data' ? Buffer.from(text).toString('base64') : JSON.stringify(text)
  } }\n`;

test.each<[string, string, string[]]>([
  ['an RSA key of 2048 bits', secret(pem(rsa(2048))), []],
  ['an RSA key in PKCS #1', secret(pem(rsa(2048), { type: 'pkcs1' }), 'stringData'), []],
  ['a P-256 key', secret(pem(curve('P-256').privateKey)), []],
  ['a P-384 key', secret(pem(curve('P-384').privateKey)), []],
  ['a P-521 key', secret(pem(curve('P-521').privateKey, { type: 'sec1' })), []],
  ['an Ed25519 key', secret(pem(generateKeyPairSync('ed25519').privateKey)), []],
  ['a Secret with another key', secret('x').replace('first', 'second'), []],
  ['a short RSA key', secret(pem(rsa(1024))), ['is an RSA key of 1024 bits, at least 2048 are needed']],
  ['a key on another curve', secret(pem(curve('secp256k1').privateKey)), ['is on a curve that cannot sign tokens']],
  [
    'an X25519 key',
    secret(pem(generateKeyPairSync('x25519').privateKey)),
    ['is a key of type x25519, which cannot sign tokens'],
  ],
  ['a public key', secret(pem(curve('P-256').publicKey)), ['has no private key in PEM form']],
  ['a placeholder text', secret('replaced-by-the-vault'), ['has no private key in PEM form']],
  [
    'an encrypted key',
    secret(pem(curve('P-256').privateKey, { cipher: 'aes-256-cbc', passphrase: 'hush' })),
    ['is encrypted, and there is no passphrase to read it with'],
  ],
])('the rule unusableSigningKey gives the expected findings for: %s', (_, secretText, expected) => {
  const found = findings('unusableSigningKey', server, secretText);
  expect(found.map(({ code, severity }) => `${code} ${severity}`)).toEqual(expected.map(() => 'LNT4018 warning'));
  expect(found.map(({ message }) => message)).toEqual(expected.map(text => `key "first" of Secret "keys" ${text}`));
});

test('a signing key in a Secret that is in none of the compiled files gives no LNT4018', () =>
  expect(findings('unusableSigningKey', server)).toEqual([]));
