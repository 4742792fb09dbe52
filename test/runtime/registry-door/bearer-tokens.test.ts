/** The requirements for bearer tokens, with tokens of real identity providers behind certificates of a private authority. */
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PUBLIC_CLIENT } from '../../support/identity-provider.ts';
import {
  AUDIENCE,
  bearer,
  introspecting,
  type ServedDoor,
  startDoor,
  startTrustedProvider,
  type TrustedProvider,
  twoRegistries,
  withoutPrivateAddresses,
} from './served-door.ts';

const LISTING = '/registry/main/v0.1/servers';

let corp: TrustedProvider;
let other: TrustedProvider;
beforeAll(async () => {
  [corp, other] = await Promise.all([startTrustedProvider('corp'), startTrustedProvider('other')]);
});
afterAll(() => Promise.all([corp.close(), other.close()]));

const statusFor = async ({ send }: ServedDoor, token: string): Promise<number> =>
  (await send(LISTING, bearer(token))).status;

describe('rule 1: Authorization: Bearer <ACCESS_TOKEN>', () => {
  test.each<[string, (token: string) => string, number, string | undefined]>([
    ['in the usual form', token => `Bearer ${token}`, 200, undefined],
    ['with the scheme in lower case (RFC 9110, 11.1)', token => `bearer ${token}`, 200, undefined],
    ['with two spaces, which the grammar of RFC 6750 allows', token => `Bearer  ${token}`, 200, undefined],
    ['in quotation marks', token => `Bearer "${token}"`, 401, 'invalid_request'],
    ['with extra white space within', token => `Bearer ${token.slice(0, 9)} ${token.slice(9)}`, 401, 'invalid_request'],
    ['with a comma', token => `Bearer ${token},`, 401, 'invalid_request'],
    ['without a token', () => 'Bearer', 401, 'invalid_request'],
    ['without a scheme', token => token, 401, undefined],
    ['of another scheme', token => `Basic ${token}`, 401, undefined],
    ['with a tab', token => `Bearer\t${token}`, 401, undefined],
  ])('the registry server reads the token of an Authorization header %s', async (_name, header, status, error) => {
    const { send } = await startDoor(twoRegistries(corp.yaml()));
    const reply = await send(LISTING, { Authorization: header(await corp.token()) });
    expect(reply.status).toBe(status);
    const challenge = reply.headers['www-authenticate'];
    expect(/error="(\w+)"/.exec(challenge ?? '')?.[1]).toBe(error);
    expect(challenge !== undefined).toBe(status === 401);
  });

  test('the registry server refuses a request with two Authorization headers', async () => {
    const { raw } = await startDoor(twoRegistries(corp.yaml()));
    const header = `Authorization: Bearer ${await corp.token()}\r\n`;
    const answer = await raw(
      `GET ${LISTING} HTTP/1.1\r\nHost: localhost\r\n${header}${header}Connection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*error="invalid_request"/);
  });

  test('the registry server reads a token only in the Authorization header', async () => {
    const { send } = await startDoor(twoRegistries(corp.yaml()));
    const token = await corp.token();
    expect((await send(`${LISTING}?access_token=${token}`)).status).toBe(401);
    expect((await send(LISTING, { Cookie: `access_token=${token}` })).status).toBe(401);
    expect((await send(LISTING, { 'Proxy-Authorization': `Bearer ${token}` })).status).toBe(401);
  });
});

describe('rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides', () => {
  test.each(['RS256', 'PS256', 'ES256'] as const)(
    'the registry server does not introspect a JWT signed with %s',
    async alg => {
      const door = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
      const before = corp.idp.count('/token/introspection');
      expect(await statusFor(door, await corp.token({ alg }))).toBe(200);
      expect(corp.idp.count('/token/introspection')).toBe(before);
    },
  );

  test('the registry server introspects an opaque token with the client secret in clientSecretFile, and only once for two requests', async () => {
    const door = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
    const before = corp.idp.requests.length;
    const token = await corp.token({ format: 'opaque' });
    expect([await statusFor(door, token), await statusFor(door, token)]).toEqual([200, 200]);
    const asked = corp.idp.requests.slice(before).filter(({ path }) => path === '/token/introspection');
    const decoded = asked.map(({ authorization = '' }) => Buffer.from(authorization.slice(6), 'base64').toString());
    expect(decoded.map(pair => new URLSearchParams(pair.replace(':', '=')).get('test-client'))).toEqual([
      'test secret: 50%',
    ]);
  });

  test('without a client secret, the registry server sends its clientId in the body of an introspection, and not the token of authTokenFile', async () => {
    const { clientSecretFile: _, ...fields } = introspecting(corp);
    const authTokenFile = corp.folder.file('secret');
    const known = await startDoor(twoRegistries(corp.yaml({ ...fields, clientId: PUBLIC_CLIENT, authTokenFile })));
    const before = corp.idp.requests.length;
    const token = await corp.token({ format: 'opaque' });
    expect(await statusFor(known, token)).toBe(200);
    const asked = corp.idp.requests.slice(before).filter(({ path }) => path === '/token/introspection');
    expect(asked.map(({ authorization }) => authorization)).toEqual([undefined]);
    // The provider accepts no request without a client, nor from an unknown one.
    const unknown = await startDoor(twoRegistries(corp.yaml({ ...fields, clientId: 'nobody' })));
    expect(await statusFor(unknown, await corp.token({ format: 'opaque' }))).toBe(503);
    const { clientId: __, ...unnamed } = fields;
    const silent = await startDoor(twoRegistries(corp.yaml(unnamed)));
    expect(await statusFor(silent, await corp.token({ format: 'opaque' }))).toBe(503);
  });

  test('the registry server refuses opaque tokens without introspectionUrl', async () => {
    const door = await startDoor(twoRegistries(corp.yaml()));
    expect(await statusFor(door, await corp.token({ format: 'opaque' }))).toBe(401);
  });

  test('the registry server does not introspect a JWT that fails its checks', async () => {
    const door = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
    const before = corp.idp.count('/token/introspection');
    expect(await statusFor(door, await corp.token({ audience: 'other' }))).toBe(401);
    expect(corp.idp.count('/token/introspection')).toBe(before);
  });
});

describe('rule 4: the checks of every token', () => {
  test.each<[string, (format: 'jwt' | 'opaque') => object, number]>([
    ['the right audience', () => ({}), 200],
    ['a list with the right audience', format => (format === 'jwt' ? { claims: { aud: ['x', AUDIENCE] } } : {}), 200],
    ['another audience', () => ({ audience: 'https://other.example' }), 401],
    ['the right audience with a slash', () => ({ audience: `${AUDIENCE}/` }), 401],
  ])('the registry server checks the audience of a token: %s', async (_name, wish, status) => {
    const door = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
    for (const format of ['jwt', 'opaque'] as const) {
      expect(await statusFor(door, await corp.token({ format, ...wish(format) }))).toBe(status);
    }
  });

  test('the registry server refuses an expired JWT, and an opaque token whose introspection says that it has expired', async () => {
    const door = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
    expect(await statusFor(door, await corp.token({ claims: { exp: Math.floor(Date.now() / 1000) - 60 } }))).toBe(401);
    const token = await corp.token({ format: 'opaque' });
    await corp.idp.revoke(token);
    expect(await statusFor(door, token)).toBe(401);
    expect(door.lines.map(({ cause }) => cause)).toEqual(['the token has expired', 'the token is not active']);
  });

  test.each([
    ['a slash at the end', (issuer: string) => `${issuer}/`],
    ['a path', (issuer: string) => `${issuer}/realms/a`],
    ['white space', (issuer: string) => `${issuer} `],
    ['capitals', (issuer: string) => issuer.replace('localhost', 'LOCALHOST')],
    ['the port of another provider', () => other.idp.issuer],
  ])(
    'the registry server compares the issuer of a token byte for byte, and refuses an issuer with %s',
    async (_name, change) => {
      const door = await startDoor(twoRegistries(corp.yaml()));
      expect(await statusFor(door, await corp.token({ claims: { iss: change(corp.idp.issuer) } }))).toBe(401);
    },
  );

  test('the registry server accepts the issuer of a token as it is configured, also with a slash at the end', async () => {
    const door = await startDoor(
      twoRegistries(corp.yaml({ issuerUrl: `${corp.idp.issuer}/`, jwksUrl: corp.idp.jwksUrl })),
    );
    expect(await statusFor(door, await corp.token({ claims: { iss: `${corp.idp.issuer}/` } }))).toBe(200);
    expect(await statusFor(door, await corp.token())).toBe(401);
  });

  test('the registry server refuses a token whose claims do not match its signature', async () => {
    const door = await startDoor(twoRegistries(corp.yaml()));
    const [header, claims, signature] = (await corp.token()).split('.');
    const raised = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()), sub: 'root' }),
    );
    expect(await statusFor(door, [header, raised.toString('base64url'), signature].join('.'))).toBe(401);
    expect(await statusFor(door, [header, claims, signature].join('.'))).toBe(200);
  });
});

describe('rule 5: several providers', () => {
  test('the registry server accepts the tokens of each provider, and checks a JWT only with the provider of its issuer', async () => {
    const door = await startDoor(twoRegistries([corp.yaml(), other.yaml()].join('\n')));
    expect([await statusFor(door, await corp.token()), await statusFor(door, await other.token())]).toEqual([200, 200]);
    expect(await statusFor(door, await other.token({ claims: { iss: corp.idp.issuer } }))).toBe(401);
  });

  test('the registry server asks the providers about an opaque token in their configured order, and logs which providers refused it', async () => {
    const door = await startDoor(twoRegistries([corp, other].map(one => one.yaml(introspecting(one))).join('\n')));
    const counts = () => [corp, other].map(one => one.idp.count('/token/introspection'));
    const [first = 0, second = 0] = counts();
    expect(await statusFor(door, await corp.token({ format: 'opaque' }))).toBe(200);
    expect(counts()).toEqual([first + 1, second]);
    expect(await statusFor(door, await other.token({ format: 'opaque' }))).toBe(200);
    expect(counts()).toEqual([first + 2, second + 1]);
    expect(door.lines).toEqual([]);
    expect(await statusFor(door, 'nobody-knows-this')).toBe(401);
    const cause = 'the token is not active';
    expect(door.lines).toMatchObject([
      {
        level: 'info',
        tried: [
          { provider: 'corp', cause },
          { provider: 'other', cause },
        ],
      },
    ]);
    expect(JSON.stringify(door.lines)).not.toContain('nobody-knows-this');
  });

  test('of several providers of one issuer, the registry server uses the first one whose audience the token has', async () => {
    const yaml = [corp.yaml({ name: 'a', audience: 'a' }), corp.yaml({ name: 'b', audience: 'b' })].join('\n');
    const door = await startDoor(twoRegistries(yaml));
    expect(await statusFor(door, await corp.token({ audience: 'b' }))).toBe(200);
    expect(await statusFor(door, await corp.token({ audience: 'c' }))).toBe(401);
    const cause = 'the token is for another audience';
    expect(door.lines).toMatchObject([
      {
        tried: [
          { provider: 'a', cause },
          { provider: 'b', cause },
        ],
      },
    ]);
  });
});

describe('rule 6: keys', () => {
  test('the registry server fetches keys from the URL in the discovery document', async () => {
    const before = corp.idp.count('/.well-known/openid-configuration');
    const door = await startDoor(twoRegistries(corp.yaml()));
    expect(await statusFor(door, await corp.token())).toBe(200);
    expect(corp.idp.count('/.well-known/openid-configuration')).toBe(before + 1);
  });

  test('the registry server fetches keys from jwksUrl, and then needs no discovery document', async () => {
    const before = corp.idp.count('/.well-known/openid-configuration');
    const door = await startDoor(twoRegistries(corp.yaml({ jwksUrl: corp.idp.jwksUrl })));
    expect(await statusFor(door, await corp.token())).toBe(200);
    expect(corp.idp.count('/.well-known/openid-configuration')).toBe(before);
  });
});

describe('rule 7: connections to a provider', () => {
  afterEach(() => writeFile(corp.folder.file('secret'), 'test secret: 50%\n'));

  test('to a provider with a private certificate authority, the registry server connects only if caCertPath has this authority', async () => {
    const door = await startDoor(twoRegistries(corp.yaml({ caCertPath: other.folder.file('ca.pem') })));
    expect(await statusFor(door, await corp.token())).toBe(200);
    const { caCertPath: _, ...rest } = JSON.parse(corp.yaml().replace(/^ *- /, ''));
    const strict = await startDoor(twoRegistries(`      - ${JSON.stringify(rest)}`));
    expect(await statusFor(strict, await corp.token())).toBe(503);
    expect(strict.lines).toMatchObject([
      { level: 'warn', provider: 'corp', cause: expect.stringContaining('(SELF_SIGNED_CERT_IN_CHAIN)') },
      {
        level: 'warn',
        tried: [{ provider: 'corp', cause: expect.stringContaining('(SELF_SIGNED_CERT_IN_CHAIN)') }],
      },
    ]);
  });

  test('the registry server does not connect to private addresses of a provider unless allowPrivateIP is set', async () => {
    const before = corp.idp.requests.length;
    const token = await corp.token();
    const door = await startDoor(withoutPrivateAddresses(twoRegistries(corp.yaml())));
    expect(await statusFor(door, token)).toBe(503);
    expect(corp.idp.requests.length).toBe(before + 1);
    expect(door.lines[0]).toMatchObject({ provider: 'corp', cause: expect.stringContaining('is not allowed') });
  });

  test('the registry server sends the current token in authTokenFile with each request for keys', async () => {
    const file = corp.folder.file('sa-token');
    await writeFile(file, 'first\n');
    const from = corp.idp.requests.length;
    const door = await startDoor(twoRegistries(corp.yaml({ authTokenFile: file })));
    expect(await statusFor(door, await corp.token())).toBe(200);
    await writeFile(file, 'second');
    door.secrets.refresh();
    // An unknown key triggers another fetch.
    expect(await statusFor(door, await corp.token({ header: { kid: 'unknown' } }))).toBe(401);
    const sent = corp.idp.requests.slice(from).filter(({ path }) => path === '/jwks');
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('the registry server reads clientSecretFile again when the file was replaced', async () => {
    await writeFile(corp.folder.file('secret'), 'not yet');
    const door = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
    const token = await corp.token({ format: 'opaque' });
    expect(await statusFor(door, token)).toBe(503);
    await writeFile(corp.folder.file('secret'), 'test secret: 50%\n');
    door.secrets.refresh();
    expect(await statusFor(door, token)).toBe(200);
  });
});
