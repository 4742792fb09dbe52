/** One suite for everything that is protected by bearer tokens: the authenticator itself, and each server behind it. */
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TokenProviderPlan } from '#schemas';
import { type RawServer, sendJson, startRawServer } from '../../../support/raw-server.ts';
import { providerPlan } from '../incoming/harness.ts';
import { type ScriptedProvider, startScriptedProvider } from '../incoming/scripted-provider.ts';
import { BAD_CREDENTIALS, FORGED_TOKENS, GOOD_CREDENTIALS, GOOD_TOKENS } from './forged.ts';

export interface Answer {
  /** The HTTP status; 200 for an authenticated caller. */
  readonly status: number;
  readonly challenge: string | undefined;
  /** The error for the caller; undefined for an authenticated one. */
  readonly text: string | undefined;
}

/** A server that accepts one provider's tokens for the audience `gateway`, with the realm `test`. */
export interface Guarded {
  /** @param headers alternating names and values */
  send(headers: readonly string[]): Promise<Answer>;
  close(): Promise<unknown>;
}

/** @param malformedStatus for malformed credentials: 400, or 401 where a server answers all unauthenticated callers alike */
export function describeAttacks(start: (provider: TokenProviderPlan) => Promise<Guarded>, malformedStatus = 400): void {
  let idp: ScriptedProvider;
  let attacker: RawServer;
  let guarded: Guarded;
  beforeAll(async () => {
    idp = await startScriptedProvider();
    attacker = await startRawServer((_request, response) => sendJson(response, JSON.stringify({ keys: idp.keys })));
  });
  afterAll(() => Promise.all([idp.close(), attacker.close()]));

  const bearer = (token: string): readonly string[] => ['Authorization', `Bearer ${token}`];
  const LET_IN: Answer = { status: 200, challenge: undefined, text: undefined };
  const refused = (status: number, error: string | undefined, text: string): object => ({
    status,
    text,
    challenge: expect.stringContaining(
      error === undefined
        ? 'Bearer realm="test"'
        : `Bearer realm="test", error="${error}", error_description="${text}"`,
    ),
  });

  describe('callers', () => {
    beforeAll(async () => {
      guarded = await start(providerPlan(idp));
    });
    afterAll(() => guarded.close());

    test.each(GOOD_TOKENS)('the server accepts a valid token %s', async (_name, sign) => {
      expect(await guarded.send(bearer(await sign({ idp, attacker })))).toMatchObject(LET_IN);
    });

    test.each(FORGED_TOKENS)('the server refuses an invalid token: %s', async (_name, forge, text) => {
      const token = await forge({ idp, attacker });
      // A second attempt shows that the token is not cached as valid either.
      for (const _ of [1, 2])
        expect(await guarded.send(bearer(token))).toMatchObject(refused(401, 'invalid_token', text));
      expect(attacker.connections).toBe(0);
    });

    test.each(GOOD_CREDENTIALS)(
      'the server accepts a valid token in an Authorization header %s',
      async (_name, headers) => {
        expect(await guarded.send(headers(await idp.sign()))).toMatchObject(LET_IN);
      },
    );

    test.each(BAD_CREDENTIALS)('the server refuses credentials in the wrong form: %s', async (_name, headers, text) => {
      const answer = await guarded.send(headers(await idp.sign()));
      const isMissing = text.startsWith('a bearer token is needed');
      const expected = isMissing ? refused(401, undefined, text) : refused(malformedStatus, 'invalid_request', text);
      expect(answer).toMatchObject(expected);
      // RFC 6750, section 3.1: the challenge for a request without a token contains no error.
      expect(answer.challenge?.includes('error=')).toBe(!isMissing);
    });
  });

  describe('a malicious provider', () => {
    afterEach(() => idp.answers.clear());

    const json = (document: object) => (_request: unknown, response: Parameters<typeof sendJson>[0]) =>
      sendJson(response, JSON.stringify(document));

    test.each<[string, path: string, () => ReturnType<typeof json>, Partial<TokenProviderPlan>]>([
      [
        'that redirects to the keys of another host',
        '/jwks',
        () => (_request, response) => void response.writeHead(302, { location: `${attacker.origin}/jwks` }).end(),
        {},
      ],
      [
        'with the discovery document of another issuer',
        '/.well-known/openid-configuration',
        () => json({ issuer: attacker.origin, jwks_uri: `${attacker.origin}/jwks` }),
        {},
      ],
      [
        'that names a cloud metadata service as the URL of its keys',
        '/.well-known/openid-configuration',
        () => json({ issuer: idp.issuer, jwks_uri: 'http://169.254.169.254/latest' }),
        { addresses: 'private' },
      ],
      ['without keys', '/jwks', () => json({ keys: [] }), {}],
    ])('the server accepts no token of a malicious provider %s', async (_name, path, answer, more) => {
      idp.answers.set(path, answer());
      const own = await start(providerPlan(idp, more));
      onTestFinished(async () => void (await own.close()));
      expect(await own.send(bearer(await idp.sign()))).toMatchObject({
        status: 503,
        challenge: expect.stringMatching(/^Bearer realm="test"(?!.*error)/),
      });
      expect(attacker.connections).toBe(0);
    });
  });
}
