/** What operators read about refused tokens at the default log level. */
import { afterEach, describe, expect, test } from 'vitest';
import { RefusalLog } from '../../../../runtime/auth/incoming/refusal-log.ts';
import { listeningLog } from '../../../support/log-lines.ts';
import { sendJson } from '../../../support/raw-server.ts';
import { attempt, attemptWith, authPlan, Gate, providerPlan } from './harness.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

const REFUSED = 'a token was refused';

describe('one authenticator', () => {
  const gate = new Gate();
  afterEach(() => gate.dispose());

  const introspecting = (idp: ScriptedProvider, name: string) =>
    providerPlan(idp, { name, introspection: { url: idp.introspectionUrl, credentials: { type: 'none' } } });

  test('names each provider that was tried, in order, and why it said no', async () => {
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
          { provider: 'away', cause: 'introspection: answered HTTP 500' },
          { provider: 'other', cause: 'the token is not active' },
        ],
        cause: 'the identity provider cannot be asked about the token now',
        count: 1,
        msg: REFUSED,
      },
    ]);
  });

  test.each<[string, (idp: ScriptedProvider) => Promise<string>, string, string[]]>([
    ['expired', idp => idp.sign({ exp: 1 }), 'the token has expired', ['corp']],
    ['for another audience', idp => idp.sign({ aud: 'x' }), 'the token is for another audience', ['corp']],
    ['signed by a stranger', idp => idp.sign({}, {}, 'stranger'), 'the signature of the token is wrong', ['corp']],
    ['of a key that nobody has', idp => idp.sign({}, { kid: 'x' }), 'the token is signed by an unknown key', ['corp']],
    ['of another issuer', idp => idp.sign({ iss: 'https://x' }), 'the token is from another issuer', []],
    ['opaque', async () => 'opaque-secret', 'the token is not a JWT', []],
    ['malformed', async () => '"opaque-secret"', 'the token has characters that no token has', []],
  ])('says why, for a token that is %s, and nothing of it', async (_name, sign, cause, tried) => {
    const idp = await gate.keep(startScriptedProvider());
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([providerPlan(idp)]), { log });
    const token = await sign(idp);
    await attempt(auth, token);
    const providers = tried.map(provider => ({ provider, cause }));
    expect(lines).toEqual([{ level: 'info', tried: providers, cause, count: 1, msg: REFUSED }]);
    for (const part of [token, ...token.split('.')]) expect(JSON.stringify(lines)).not.toContain(part);
  });

  test('is quiet about two headers after the first time, about requests without a token, and about good ones', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([providerPlan(idp)]), { log });
    await attempt(auth, await idp.sign());
    await attemptWith(auth, []);
    for (let n = 0; n < 9; n++) await attemptWith(auth, ['Authorization', 'Bearer a', 'Authorization', 'Bearer b']);
    expect(lines).toMatchObject([{ cause: 'there is more than one Authorization header', count: 1 }]);
  });

  test('writes one line for a flood, and says in the end how much it was', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const { log, lines } = listeningLog();
    const auth = gate.make(authPlan([providerPlan(idp)]), { log });
    for (let n = 0; n < 500; n++) await attempt(auth, `opaque-${n}`);
    expect(lines).toHaveLength(1);
    await auth.close();
    expect(lines).toMatchObject([{ count: 1 }, { count: 499, cause: 'the token is not a JWT' }]);
  });
});

describe('the log', () => {
  const tried = (cause: string) => [{ provider: 'corp', cause }];

  test('counts what comes up again, and sums it up', () => {
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

  test('has a limit on kinds, beyond which they are counted together', () => {
    const { log, lines } = listeningLog();
    const refusals = new RefusalLog(log);
    for (let n = 0; n < 1_000; n++) refusals.note([], `cause ${n}`);
    expect(lines).toHaveLength(100);
    lines.length = 0;
    refusals.summarize();
    expect(lines).toMatchObject([{ cause: 'other causes', count: 900 }]);
  });
});
