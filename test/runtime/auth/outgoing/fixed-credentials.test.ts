/** Strategies that fetch nothing: their credential is fixed, or there is none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import { ANONYMOUS } from '../../../../runtime/auth/identity.ts';
import { createOutgoingAuth } from '../../../../runtime/auth/outgoing/outgoing-auth.ts';
import { Secrets } from '../../../../runtime/auth/secrets.ts';
import type { HeaderInjectionPlan } from '../../../../schemas/index.ts';
import { HeldTokens } from '../../../support/held-tokens.ts';
import { Bench, CALL, createCaller, refusal, START, secret } from './harness.ts';

const bench = new Bench();
afterEach(() => bench.close());

test('outgoingAuth of type unauthenticated sends no credential, for any caller', async () => {
  const auth = await bench.auth({ type: 'unauthenticated' });
  expect(auth.isPerCaller).toBe(false);
  const credential = auth.getCredential(() => createCaller());
  const sent = await credential.getHeaders(CALL);
  expect(sent).toEqual([]);
  expect(credential.rejected(sent)).toBe(false);
  expect(await auth.own?.getHeaders(CALL)).toEqual([]);
});

describe('header_injection', () => {
  const plan: HeaderInjectionPlan = { type: 'header_injection', header: 'X-API-Key', value: secret('KEY') };

  test('header_injection sends the same header for each caller and for requests of the gateway itself', async () => {
    bench.secrets.set('KEY', 'k1');
    const auth = await bench.auth(plan);
    expect(auth.isPerCaller).toBe(false);
    expect(await auth.own?.getHeaders(CALL)).toEqual(['X-API-Key', 'k1']);
    expect(await auth.getCredential(() => ANONYMOUS).getHeaders(CALL)).toEqual(['X-API-Key', 'k1']);
  });

  test('header_injection sends a rotated value with the next request', async () => {
    bench.secrets.set('KEY', 'k1');
    const credential = (await bench.auth(plan)).getCredential(() => ANONYMOUS);
    const sent = await credential.getHeaders(CALL);
    expect(credential.getHeaders(CALL)).toBe(sent);
    expect(credential.rejected(sent)).toBe(false);
    bench.secrets.set('KEY', 'k2');
    expect(credential.rejected(sent)).toBe(true);
    expect(await credential.getHeaders(CALL)).toEqual(['X-API-Key', 'k2']);
  });

  test.each(['', 'X Key', 'X-Key:', 'X-Key\r\nX-Admin', 'Ключ', 'X(Key)'])(
    'header_injection refuses the header name %j',
    async header => {
      bench.secrets.set('KEY', 'k1');
      const error = await refusal(() => bench.auth({ ...plan, header }));
      expect(error).toMatchObject({
        fault: 'gateway',
        message: expect.stringContaining('is not the name of a header'),
      });
    },
  );

  test.each(['Host', 'content-length', 'Content-Type', 'Mcp-Session-Id', 'mcp-param-region'])(
    'header_injection refuses the header %s',
    async header => {
      bench.secrets.set('KEY', 'k1');
      const error = await refusal(() => bench.auth({ ...plan, header }));
      expect(error).toMatchObject({ fault: 'gateway', message: expect.stringContaining('cannot carry a credential') });
    },
  );

  test.each([
    ['with a line feed', 'top-secret\nX-Admin: 1', 'contains a line break or another control character'],
    ['with a carriage return', 'top-secret\rX', 'contains a line break or another control character'],
    ['with a null byte', 'top-secret\0', 'contains a line break or another control character'],
    ['with a character beyond Latin-1', 'top-secret €', 'contains a line break or another control character'],
  ])('header_injection refuses a value %s, at the start and after a rotation', async (_, value, problem) => {
    bench.secrets.set('KEY', value);
    const message = `header_injection: the value of X-API-Key ${problem}`;
    expect((await refusal(() => bench.auth(plan))).message).toBe(message);
    bench.secrets.set('KEY', 'good');
    const auth = await bench.auth(plan);
    bench.secrets.set('KEY', value);
    expect((await refusal(() => auth.getCredential(() => ANONYMOUS).getHeaders(CALL))).message).toBe(message);
  });
});

describe('header_injection from a mounted file', () => {
  const plan = (file: string): HeaderInjectionPlan => ({
    type: 'header_injection',
    header: 'X-API-Key',
    value: { env: null, file },
  });

  test('header_injection sends the rotated value of a mounted file, and the error for a missing file names the header and the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lintel-header-'));
    bench.own({ close: async () => rmSync(folder, { recursive: true }) });
    const secrets = new Secrets({ log: createLogger('silent') });
    bench.own({ close: async () => secrets.close() });
    const options = { backend: 'jira', secrets, log: createLogger('silent') };
    const file = join(folder, 'key');
    await expect(createOutgoingAuth(plan(file), options)).rejects.toThrow(
      `the value of header X-API-Key in header_injection for backend "jira" is missing: file ${file} cannot be read`,
    );
    writeFileSync(file, 'k1\n');
    const credential = (await createOutgoingAuth(plan(file), options)).getCredential(() => ANONYMOUS);
    expect(await credential.getHeaders(CALL)).toEqual(['X-API-Key', 'k1']);
    writeFileSync(file, 'k2\n');
    secrets.refresh();
    expect(await credential.getHeaders(CALL)).toEqual(['X-API-Key', 'k2']);
  });
});

describe('upstream_inject', () => {
  const plan = { type: 'upstream_inject', provider: 'github' } as const;
  const holder = (accessToken: string, expiresAt: number | null = null) =>
    createCaller({ upstreamTokens: new HeldTokens([['github', { accessToken, idToken: 'id', expiresAt }]]) });

  test('upstream_inject sends the access token of the upstream, and after its renewal the new access token', async () => {
    let identity = holder('gho_1');
    const auth = await bench.auth(plan);
    expect(auth).toMatchObject({ isPerCaller: true, own: undefined });
    const credential = auth.getCredential(() => identity);
    const sent = await credential.getHeaders(CALL);
    expect(sent).toEqual(['Authorization', 'Bearer gho_1']);
    expect(credential.getHeaders(CALL)).toBe(sent);
    expect(credential.rejected(sent)).toBe(false);
    identity = holder('gho_2');
    expect(credential.rejected(sent)).toBe(true);
    expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer gho_2']);
  });

  test('upstream_inject drops an upstream token that a backend refuses, but not a newer token that has replaced it', async () => {
    const upstreamTokens = new HeldTokens([['github', { accessToken: 'gho_1', idToken: null, expiresAt: null }]]);
    const credential = await bench.credential(plan, createCaller({ upstreamTokens }));
    const sent = await credential.getHeaders(CALL);
    upstreamTokens.set('github', { accessToken: 'gho_2', idToken: null, expiresAt: null });
    expect([credential.rejected(sent), upstreamTokens.refusals]).toEqual([true, []]);
    const again = await credential.getHeaders(CALL);
    expect([credential.rejected(again), upstreamTokens.refusals]).toEqual([false, [['github', 'gho_2']]]);
    upstreamTokens.clear();
    expect([credential.rejected(again), upstreamTokens.refusals.length]).toEqual([false, 1]);
  });

  test.each([
    ['anonymous', ANONYMOUS, 'gateway', 'the caller is anonymous'],
    ['without a token of the upstream', createCaller(), 'caller', 'upstream token not found: log in again'],
    [
      'with an expired token of the upstream',
      holder('gho_1', START),
      'caller',
      'the token of upstream "github" has expired',
    ],
    [
      'with a token that has a line break',
      holder('gho_1\r\nX-Admin: 1'),
      'gateway',
      'characters that no header may have',
    ],
  ] as const)('upstream_inject fails for a caller who is %s', async (_, identity, fault, message) => {
    const credential = await bench.credential(plan, identity);
    const error = await refusal(() => credential.getHeaders(CALL));
    expect(error).toMatchObject({ fault, message: expect.stringContaining(message) });
    expect(error.message).not.toContain('gho_1');
  });
});
