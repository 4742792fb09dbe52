/** Where a token is read from, and in which form, beyond the attacks; and what callers without a token get. */
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ResourceMetadataPlan } from '#schemas';
import {
  checkToken,
  MalformedCredentialsError,
  readBearerToken,
} from '../../../../runtime/auth/incoming/bearer-token.ts';
import { readJwt } from '../../../../runtime/auth/incoming/jwt.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { UNSENDABLE_CREDENTIALS } from '../attacks/forged.ts';
import { attempt, attemptWith, authPlan, Gate, providerPlan } from './harness.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

let idp: ScriptedProvider;
let good: string;
beforeAll(async () => {
  idp = await startScriptedProvider();
  good = await idp.sign();
});
afterAll(() => idp.close());

const gate = new Gate();
afterEach(() => gate.dispose());

const MISSING = {
  status: 401,
  error: 'missing_token',
  text: 'a bearer token is needed in the Authorization header',
  challenge: 'Bearer realm="test"',
};
const malformed = (text: string) => ({
  status: 400,
  error: 'invalid_request',
  text,
  challenge: `Bearer realm="test", error="invalid_request", error_description="${text}"`,
});
const TWICE = malformed('there is more than one Authorization header');
const CHARACTERS = malformed('the token has characters that a token cannot have');

describe('the reader of the Authorization header', () => {
  test.each(UNSENDABLE_CREDENTIALS)(
    'the gateway refuses a valid token that the request sends with %s',
    async (_name, headers, text) => {
      expect(await attemptWith(gate.make(authPlan([providerPlan(idp)])), headers(good))).toEqual(malformed(text));
    },
  );

  test('the gateway ignores a token in the query of a URL', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    expect(await attemptWith(auth, [], `/mcp?access_token=${good}`)).toEqual(MISSING);
  });

  test('the gateway refuses a token that differs from a cached valid token by added characters', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    expect(await attempt(auth, good)).toHaveProperty('identity');
    expect(await attempt(auth, `"${good}"`)).toEqual(CHARACTERS);
    expect(await attempt(auth, `${good}=`)).toMatchObject({ status: 401, error: 'invalid_token' });
  });

  test('the gateway refuses an HTTP request with two Authorization headers, also if they differ in upper and lower case', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    const outcomes: unknown[] = [];
    const server = createServer(async (req: IncomingMessage, res) => {
      outcomes.push(await attemptWith(auth, req.rawHeaders));
      res.end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const headers = `Host: a\r\nAuthorization: Bearer ${good}\r\nAUTHORIZATION: Bearer ${good}\r\nConnection: close`;
    socket.end(`GET / HTTP/1.1\r\n${headers}\r\n\r\n`);
    await new Promise(resolve => socket.resume().on('close', resolve));
    await new Promise(resolve => server.close(resolve));
    expect(outcomes).toEqual([TWICE]);
  });
});

describe('the WWW-Authenticate challenge', () => {
  const metadata: ResourceMetadataPlan = {
    url: 'https://gateway.example/.well-known/oauth-protected-resource/mcp',
    paths: [],
    document: {
      resource: 'https://gateway.example/mcp',
      authorization_servers: [],
      bearer_methods_supported: ['header'],
    },
  };

  test('the WWW-Authenticate challenge names the scopes and the metadata URL', async () => {
    const plan = authPlan([providerPlan(idp)], { requiredScopes: ['a', 'b'], resourceMetadata: metadata });
    const end = `scope="a b", resource_metadata="${metadata.url}"`;
    const auth = gate.make(plan);
    expect(await attemptWith(auth, [])).toMatchObject({ challenge: `Bearer realm="test", ${end}` });
    expect(await attempt(auth, 'opaque')).toMatchObject({
      challenge: `Bearer realm="test", error="invalid_token", error_description="the token is not a JWT", ${end}`,
    });
  });

  test('the WWW-Authenticate challenge quotes special characters, and replaces characters that a header cannot have', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)], { realm: 'a "b" \\ c\r\nX-Evil: 1 \u00e9\u{1f600}' }));
    expect(await attemptWith(auth, [])).toMatchObject({ challenge: 'Bearer realm="a \\"b\\" \\\\ c??X-Evil: 1 ???"' });
  });
});

describe('for any header', () => {
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string(),
    fc.constantFrom('Bearer', 'bearer ', '.', '=', '"'),
  );

  test('for any headers, the gateway reads the token of the Authorization header or reports that the header is malformed', () => {
    const header = fc.tuple(
      fc.constantFrom('Authorization', 'authorization', 'Host', ''),
      fc.array(anyText).map(p => p.join('')),
    );
    fc.assert(
      fc.property(fc.array(header, { maxLength: 4 }), headers => {
        const count = headers.filter(([name]) => name.toLowerCase() === 'authorization').length;
        let token: string | undefined;
        try {
          token = readBearerToken(headers.flat());
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedCredentialsError);
          expect(count).toBeGreaterThan(1);
          return;
        }
        if (token !== undefined) expect(headers.some(([, value]) => value.endsWith(token))).toBe(true);
        expect(count).toBeLessThan(2);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the gateway accepts only tokens of the characters that RFC 6750 allows in a bearer token', () => {
    fc.assert(
      fc.property(anyText, text => {
        let passes = true;
        try {
          checkToken(text);
        } catch {
          passes = false;
        }
        const body = text.replace(/=+$/, '');
        expect(passes).toBe(body !== '' && [...body].every(one => /[A-Za-z0-9\-._~+/]/.test(one)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of any texts with the form of a JWT, the gateway accepts only one that the provider signed', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    const part = fc.oneof(
      fc.json().map(text => Buffer.from(text).toString('base64url')),
      fc.base64String(),
      fc.constantFrom(...good.split('.')),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async parts => {
        const token = parts.join('.');
        readJwt(token);
        const outcome = await attempt(auth, token);
        if (token === good) expect(outcome).toHaveProperty('identity');
        else expect(outcome).toMatchObject({ status: expect.toSatisfy(status => status === 400 || status === 401) });
      }),
      { numRuns: 500 },
    );
  });
});
