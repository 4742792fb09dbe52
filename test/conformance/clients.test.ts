/** Clients of other vendors sign in at a gateway and list its tools. A simulated user opens the URL that they print. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test } from 'vitest';
import { TestBrowser } from '../runtime/auth-server/browser.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from '../runtime/auth-server/issuing-gateway.ts';
import { startRecordingUpstream } from '../runtime/auth-server/recording-upstream.ts';
import { startToolBackend } from '../runtime/auth-server/tool-backend.ts';
import { oauth2Plan, startOAuth2Upstream } from '../runtime/auth-server/upstreams.ts';
import { listeningLog } from '../support/log-lines.ts';
import { freeOwnPort } from '../support/own-port.ts';
import { eventually, Output, temporaryFolder } from '../support/process.ts';
import { MCP_REMOTE, npmProgram, orSkip, pythonWith } from './install.ts';

let gateway: IssuingGateway;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  const backend = await startToolBackend(['act']);
  opened.defer(() => backend.close());
  const port = await issuingPort();
  const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  opened.defer(() => upstream.close());
  gateway = await startIssuingGateway({
    port,
    backend: `${backend.origin}/mcp`,
    upstreams: at => [oauth2Plan('forge', upstream, at)],
  });
  opened.defer(() => gateway.stop());
});
afterAll(() => opened.disposeAsync());

test('mcp-remote signs in and calls tools through the gateway', async context => {
  const program = await orSkip(context, npmProgram('mcp-remote', MCP_REMOTE, 'dist/proxy.js'));
  await using folder = await temporaryFolder();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, gateway.url, '--allow-http', '--auth-timeout', '300'],
    // No program that could open a browser is on PATH.
    env: { PATH: folder.path, HOME: folder.path, MCP_REMOTE_CONFIG_DIR: folder.path },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  const connecting = client.connect(transport, { timeout: 300_000 });
  const printed = new Output('stderr', transport.stderr as Readable);
  await Promise.all([signIn(printed), connecting]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['tell_act']);
});

test('the client of the Python package mcp signs in and calls tools through the gateway', async context => {
  expect(await signInFromPython(context, gateway)).toMatch(/^tools tell_act$/m);
});

test('the client of the Python package mcp signs in if the upstream provider grants fewer scopes than the gateway spec asks for', async context => {
  const upstream = await startRecordingUpstream();
  onTestFinished(() => upstream.close());
  upstream.tokens = { scope: 'repo:read' };
  upstream.user = { id: 'alice' };
  const { log, lines } = listeningLog();
  const less = await startIssuingGateway({
    log,
    upstreams: at => {
      const plan = oauth2Plan('forge', upstream, at);
      return [{ ...plan, userInfo: plan.userInfo && { ...plan.userInfo, url: `${upstream.origin}/me` } }];
    },
  });
  onTestFinished(() => less.stop());
  expect(await signInFromPython(context, less)).toMatch(/^tools *$/m);
  const said = lines.filter(({ msg }) => msg === 'an upstream grants fewer scopes than the spec asks for');
  expect(said).toEqual([expect.objectContaining({ upstream: 'forge', scopes: ['repo'] })]);
});

/** The client's output. */
async function signInFromPython(context: TestContext, { url }: IssuingGateway): Promise<string> {
  const folder = join(import.meta.dirname, 'clients');
  const python = await orSkip(context, pythonWith(join(folder, 'requirements.txt'), 'mcp-client'));
  const args = [join(folder, 'sign_in.py'), url, String(await freeOwnPort())];
  const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const printed = new Output('stdout', child.stdout);
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  await Promise.race([signIn(printed), ended]);
  expect(await ended, printed.text).toBe(0);
  return printed.text;
}

/** Opens the URL that a program prints, consents, and returns to the program. */
async function signIn(printed: Output): Promise<void> {
  const url = await eventually(() => /http\S+\/oauth\/authorize\?\S+/.exec(printed.text)?.[0]);
  const callback = new URL(url).searchParams.get('redirect_uri') ?? '';
  const browser = new TestBrowser();
  const page = await browser.open(url, callback);
  const end = await browser.submit(page, 'allow', callback);
  await (await fetch(end.url)).text();
}
