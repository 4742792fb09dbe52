/** What operators read about refused tokens at the default log level. */
import { afterEach, describe, expect, test } from 'vitest';
import { RefusalLog } from '../../../../runtime/auth/incoming/refusal-log.ts';
import { listeningLog } from '../../../support/log-lines.ts';
import { sendJson } from '../../../support/raw-server.ts';
import { AUDIENCE, attempt, attemptWith, authPlan, Gate, providerPlan } from './harness.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

const REFUSED = 'a token was refused';

describe('one authenticator', () => {
  const gate = new Gate();
  afterEach(() => gate.dispose());

  const introspecting = (idp: ScriptedProvider, name: string) =>
    providerPlan(idp, { name, introspection: { url: idp.introspectionUrl, credentials: { type: 'none' } } });

  test('the log names each provider that was tried for a token, in order, with the reason of its refusal', async () => {
    const [away, other] = [await gate.keep(startScriptedProvider()), await gate.keep(startScriptedProvider())];
    away.answers.set('/introspect', (_request, response) => void response.writeHead(500).end());
    other.answers.set('/introspect', (_request, response) => sendJson(response, '{"active":false}'));
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([introspecting(away, 'away'), introspecting(other, 'other')]), { log });
    await attempt(auth, 'opaque-secret');
    expect(lines.filter(({ msg }) => msg === REFUSED)).toEqual([
      {
        level: 'warn',
        tried: [
          { provider: 'away', issuer: away.issuer, audience: AUDIENCE, cause: 'introspection: answered HTTP 500' },
          { provider: 'other', issuer: other.issuer, audience: AUDIENCE, cause: 'the token is not active' },
        ],
        cause: 'the identity provider cannot be queried about the token now',
        count: 1,
        msg: REFUSED,
      },
    ]);
  });

  const TRAITS = { aud: AUDIENCE, kid: 'rsa', alg: 'RS256' };
  const LONG = `https://${'x'.repeat(5_000)}`;

  test.each<[string, (idp: ScriptedProvider) => Promise<string>, string, object]>([
    ['expired', idp => idp.sign({ exp: 1 }), 'the token has expired', {}],
    [
      'for another audience',
      idp => idp.sign({ aud: ['x', 7, 'y'] }),
      'the token is for another audience',
      { aud: ['x', 'y'] },
    ],
    ['with a wrong signature', idp => idp.sign({}, {}, 'stranger'), 'the signature of the token is wrong', {}],
    [
      'of an unknown key',
      idp => idp.sign({}, { kid: 'old' }),
      'the token is signed with an unknown key',
      { kid: 'old' },
    ],
    [
      'of another issuer',
      idp => idp.sign({ iss: `${idp.issuer}/` }),
      'the token is from another issuer',
      { iss: expect.stringMatching(/^http:.*\/$/) },
    ],
    [
      'with a very long issuer',
      idp => idp.sign({ iss: LONG }),
      'the token is from another issuer',
      { iss: LONG.slice(0, 200) },
    ],
    ['with a number as issuer', idp => idp.sign({ iss: 7 }), 'the token is from another issuer', { iss: undefined }],
  ])(
    'the log says why the gateway refused a JWT %s, with the claims of the JWT and the expected values',
    async (_name, sign, cause, said) => {
      const idp = await gate.keep(startScriptedProvider());
      const { log, lines } = listeningLog();
      const auth = gate.make(authPlan([providerPlan(idp)]), { log });
      const token = await sign(idp);
      await attempt(auth, token);
      const corp = { provider: 'corp', issuer: idp.issuer, audience: AUDIENCE, keys: expect.anything(), cause };
      expect(lines).toEqual([
        { level: 'info', cause, tried: [corp], token: { iss: idp.issuer, ...TRAITS, ...said }, count: 1, msg: REFUSED },
      ]);
      const [header = '', claims = '', signature = ''] = token.split('.');
      for (const part of [header, claims, signature]) expect(JSON.stringify(lines)).not.toContain(part);
      expect(JSON.stringify(lines).length).toBeLessThan(1_000);
    },
  );

  test.each<[string, string, string, number]>([
    ['opaque', 'opaque-secret', 'the token is not a JWT', 2],
    ['malformed', '"opaque-secret"', 'the token has characters that a token cannot have', 0],
  ])(
    'the log says why the gateway refused a token that is %s, and contains no part of the token',
    async (_name, token, cause, tried) => {
      const idp = await gate.keep(startScriptedProvider());
      const { log, lines } = listeningLog();
      const plan = authPlan([providerPlan(idp), providerPlan(idp, { name: 'other', audience: 'elsewhere' })]);
      await attempt(gate.make(plan, { log }), token);
      const providers = [
        { provider: 'corp', issuer: idp.issuer, audience: AUDIENCE, cause },
        { provider: 'other', issuer: idp.issuer, audience: 'elsewhere', cause },
      ];
      expect(lines).toEqual([{ level: 'info', cause, tried: providers.slice(0, tried), count: 1, msg: REFUSED }]);
      expect(JSON.stringify(lines)).not.toContain('secret');
    },
  );

  test('the log names the scopes that a valid token lacks', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([providerPlan(idp)], { requiredScopes: ['read', 'mcp:call', 'mcp:list'] }), {
      log,
    });
    await attempt(auth, await idp.sign({ scope: 'read write' }));
    expect(lines).toMatchObject([
      {
        cause: 'the token lacks a scope that is needed here',
        tried: [{ provider: 'corp', issuer: idp.issuer, cause: 'the token lacks the scope mcp:call mcp:list' }],
      },
    ]);
  });

  test('the log of a refused token lists the key ids of the provider, and an empty list when the keys could not be fetched', async () => {
    const [idp, away] = [await gate.keep(startScriptedProvider()), await gate.keep(startScriptedProvider())];
    away.answers.set('/jwks', (_request, response) => void response.writeHead(500).end());
    const keysOf = async (provider: ScriptedProvider) => {
      const { log, lines } = listeningLog();
      const auth = gate.make(authPlan([providerPlan(provider)]), { log });
      await attempt(auth, await provider.sign({}, { kid: 'old' }));
      return lines.find(({ msg }) => msg === REFUSED);
    };
    expect(await keysOf(idp)).toMatchObject({ level: 'info', tried: [{ keys: ['rsa', 'ec'] }] });
    expect(await keysOf(away)).toMatchObject({ level: 'warn', tried: [{ keys: [] }] });
  });

  test('the log has no line for requests without a token or with a valid token, and one for requests with two Authorization headers', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([providerPlan(idp)]), { log });
    await attempt(auth, await idp.sign());
    await attemptWith(auth, []);
    for (let n = 0; n < 9; n++) await attemptWith(auth, ['Authorization', 'Bearer a', 'Authorization', 'Bearer b']);
    expect(lines).toMatchObject([{ cause: 'there is more than one Authorization header', count: 1 }]);
  });

  test('the log has one line for the first of many refused tokens, and later one line with the number of further refused tokens', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([providerPlan(idp)]), { log });
    for (let n = 0; n < 500; n++) await attempt(auth, `opaque-${n}`);
    expect(lines).toHaveLength(1);
    await auth.close();
    expect(lines).toMatchObject([{ count: 1 }, { count: 499, cause: 'the token is not a JWT' }]);
  });
});

describe('the log of refusals', () => {
  const tried = (cause: string) => [{ provider: 'corp', issuer: 'https://x', audience: 'y', cause }];

  test('the log has one line for the first refusal with each cause, and later one line per cause with the number of its further refusals', () => {
    const { log, lines } = listeningLog();
    const refusals = new RefusalLog(log);
    for (const cause of ['a', 'b', 'a', 'a']) refusals.note(tried(cause), cause);
    expect(lines.map(({ cause, count }) => [cause, count])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    lines.length = 0;
    refusals.summarize();
    expect(lines.map(({ cause, count }) => [cause, count])).toEqual([['a', 2]]);
    lines.length = 0;
    refusals.note(tried('a'), 'a');
    refusals.note(tried('b'), 'b');
    expect(lines.map(({ cause, count }) => [cause, count])).toEqual([['b', 1]]);
    refusals.summarize();
    refusals.summarize();
    expect(lines.map(({ cause, count }) => [cause, count])).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
  });

  test('the log shows the claims of the first token refused for a cause, and only the number of further tokens refused for this cause', () => {
    const { log, lines } = listeningLog();
    const refusals = new RefusalLog(log);
    for (let n = 0; n < 1_000; n++) refusals.note(tried('a'), 'a', false, { iss: `https://${n}` });
    expect(lines).toMatchObject([{ token: { iss: 'https://0' }, count: 1 }]);
    refusals.summarize();
    expect(lines).toMatchObject([{ count: 1 }, { token: { iss: 'https://0' }, count: 999 }]);
  });

  test('the log names at most 100 causes of refused tokens, and counts the refusals with further causes in one line', () => {
    const { log, lines } = listeningLog();
    const refusals = new RefusalLog(log);
    for (let n = 0; n < 1_000; n++) refusals.note([], `cause ${n}`);
    expect(lines).toHaveLength(100);
    lines.length = 0;
    refusals.summarize();
    expect(lines).toMatchObject([{ cause: 'other causes', count: 900 }]);
  });
});
