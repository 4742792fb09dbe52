/** The sign-in example works as its README shows: a user signs in, and the client lists tools. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestBrowser } from '../../runtime/auth-server/browser.ts';
import { runLintel } from '../../support/lintel.ts';
import { freeOwnPort } from '../../support/own-port.ts';
import { eventually, ROOT, start } from '../../support/process.ts';

const EXAMPLE = join(ROOT, 'examples/sign-in');
const README = readFileSync(join(EXAMPLE, 'README.md'), 'utf8');
const [, PRINTED = ''] = /```console\n(.*?)```/s.exec(README) ?? [];

test('the specs of the sign-in example have no warning', async () => {
  const args = ['check', 'examples/sign-in/specs', '--fail-on', 'warning'];
  expect(await runLintel(args)).toMatchObject({ code: 0 });
});

async function served() {
  const ports = { gateway: 0, company: 0, notes: 0, internal: 0 };
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freeOwnPort();
  const args = Object.entries(ports).flatMap(([name, port]) => [`--${name}`, String(port)]);
  const servers = start(join(EXAMPLE, 'serve.mjs'), args);
  const origin = `http://127.0.0.1:${ports.gateway}`;
  const internal = `http://127.0.0.1:${ports.internal}`;
  await eventually(async () => (await fetch(`${internal}/readyz`).catch(() => undefined))?.ok === true);
  return { servers, url: `${origin}/mcp`, company: `http://127.0.0.1:${ports.company}` };
}

/** Signs in by pressing the buttons: at the gateway, then at the company. */
async function signIn(authorizationUrl: string, person: string): Promise<string> {
  const browser = new TestBrowser();
  const question = await browser.open(authorizationUrl);
  expect(question.text).toContain('The client of the example');
  const who = await browser.submit(question, 'allow');
  expect(who.text, who.url.href).toContain('Who are you?');
  const [, action = ''] = /action="([^"]+)"/.exec(who.text) ?? [];
  const end = await browser.open(new URL(action, who.url).href, undefined, {
    method: 'POST',
    body: new URLSearchParams({ person }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return end.text;
}

test('the client of the sign-in example lists tools after a successful sign-in, and gets no tools without one', async () => {
  const { servers, url } = await served();
  await using _ = servers;
  const clientOf = async (person: string) => {
    await using client = start(join(EXAMPLE, 'client.mjs'), ['--no-browser', url]);
    const [, authorizationUrl = ''] = /Sign in at (.*)/.exec(await client.stdout.next(/Sign in at .*\n/)) ?? [];
    const end = await signIn(authorizationUrl, person);
    return { end, code: await client.exitCode(), stdout: client.stdout.text, stderr: client.stderr.text };
  };
  const ann = await clientOf('ann');
  expect([ann.end, ann.code], ann.stderr).toEqual(['You are signed in. You can close this page.', 0]);
  expect(ann.stdout.replace(/^Sign in at .*\n/, '')).toBe(PRINTED);
  const nobody = await clientOf('');
  expect([nobody.end, nobody.code]).toEqual(['You are not signed in: access_denied.', 1]);
});
