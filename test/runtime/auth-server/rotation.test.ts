/** Signing keys and HMAC secrets rotate through files while users sign in, clients renew their tokens, and callers use them. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { OVERLAP_MS, RecentValues } from '../../../runtime/authserver/recent-values.ts';
import { callerStatus, RawOAuthClient } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

const pem = () =>
  String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
const secret = () => randomBytes(32).toString('base64url');

test('the authorization server takes rotated signing keys and secrets under load, without a restart and without a failed request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-rotation-'));
  const source = (name: string) => ({ env: null, file: join(folder, name) });
  /** As Kubernetes does: a file is replaced atomically. */
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, 'new'), text);
    renameSync(join(folder, 'new'), join(folder, name));
  };
  let [key, hmac] = [pem(), secret()];
  for (const place of ['current', 'former']) {
    write(`key-${place}`, key);
    write(`hmac-${place}`, hmac);
  }
  const port = await issuingPort();
  const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  const gateway = await startIssuingGateway({
    port,
    upstreams: at => [oauth2Plan('forge', upstream, at)],
    plan: {
      signingKeys: [source('key-current'), source('key-former')],
      hmacSecrets: [source('hmac-current'), source('hmac-former')],
    },
  });
  onTestFinished(async () => {
    await gateway.stop();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const keySet = async () => (await (await fetch(`${gateway.origin}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
  const current = async () => (await keySet()).keys[0]?.kid;

  const { id } = await RawOAuthClient.registered(gateway);
  const another = () => Object.assign(new RawOAuthClient(gateway), { id });
  const oldest = await another().signIn();
  let [isOver, requests] = [false, 0];
  /** Repeats for the duration of the rotation. */
  const repeat = async (work: () => Promise<void>) => {
    for (; !isOver; requests += 1) {
      await work();
      await pause(10);
    }
  };
  const client = another();
  let tokens = await client.signIn();
  const waiting = await another().signIn();
  let people = 0;
  const load = Promise.all([
    repeat(async () => {
      const { status, body } = await client.refresh(tokens.refresh_token);
      expect([status, body.error]).toEqual([200, undefined]);
      tokens = body as unknown as typeof tokens;
      expect(await callerStatus(gateway, tokens.access_token)).toBe(200);
    }),
    repeat(async () => {
      // One user can have this many concurrent sign-ins.
      people += 1;
      upstream.person = `person-${people}`;
      const { access_token } = await another().signIn();
      await jwtVerify(access_token, createLocalJWKSet(await keySet()));
    }),
  ]);
  const rotate = async () => {
    const before = await current();
    const [formerKey, formerSecret] = [key, hmac];
    [key, hmac] = [pem(), secret()];
    write('key-current', key);
    write('hmac-current', hmac);
    // Long enough that the process has read one file and not the other.
    while ((await current()) === before) await pause(100);
    write('key-former', formerKey);
    write('hmac-former', formerSecret);
  };
  const rotating = (async () => {
    await rotate();
    // Tokens of an earlier key stay valid while the key is in the list.
    expect(await callerStatus(gateway, oldest.access_token)).toBe(200);
    expect((await another().refresh(waiting.refresh_token)).status).toBe(200);
    await pause(6_000);
    await rotate();
    expect(decodeProtectedHeader((await another().signIn()).access_token).kid).toBe(await current());
  })();
  await Promise.race([load, rotating]).finally(() => {
    isOver = true;
  });
  await Promise.all([load, rotating]);
  expect(requests).toBeGreaterThan(20);
});

test('for a short time after a secret file changes, the list of valid secrets has its previous value after the current values', () => {
  let now = 0;
  const [first, second] = [{ value: 'a' }, { value: 'z' }];
  const recent = new RecentValues([first, second], () => now);
  expect(recent.values).toEqual(['a', 'z']);
  first.value = 'b';
  expect(recent.values).toEqual(['b', 'z', 'a']);
  now += OVERLAP_MS - 1;
  expect(recent.values).toEqual(['b', 'z', 'a']);
  second.value = 'a';
  expect(recent.values).toEqual(['b', 'a', 'z']);
  now += OVERLAP_MS;
  expect(recent.values).toEqual(['b', 'a']);
  second.value = 'b';
  expect(recent.values).toEqual(['b', 'a']);
  now += OVERLAP_MS;
  expect(recent.values).toEqual(['b']);
});

test('the list of valid secrets is the same array until a secret changes, which spares a new OAuth engine', () => {
  let now = 0;
  const secret = { value: 'a' };
  const recent = new RecentValues([secret], () => now);
  const first = recent.values;
  expect(recent.values).toBe(first);
  secret.value = 'b';
  const both = recent.values;
  expect(both).toEqual(['b', 'a']);
  now += OVERLAP_MS - 1;
  expect(recent.values).toBe(both);
  now += 1;
  expect(recent.values).toEqual(['b']);
  expect(recent.values).toBe(recent.values);
});
