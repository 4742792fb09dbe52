import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, isListening, Output, type Program, ROOT, start, temporaryFolder } from '../../support/process.ts';

const QUICKSTART = join(ROOT, 'examples', 'quickstart', 'quickstart.mjs');

test.each([
  ['Ctrl-C in its terminal', (program: Program) => program.killGroup('SIGINT')],
  ['SIGTERM', (program: Program) => program.kill('SIGTERM')],
  ['the end of its terminal', (program: Program) => program.killGroup('SIGHUP')],
])('quickstart prints how to connect and then runs until %s, which ends all its processes', async (_, interrupt) => {
  await using scratch = await temporaryFolder();
  await using quickstart = start(QUICKSTART, [], { ownGroup: true, env: { TMPDIR: scratch.path } });
  await quickstart.stdout.next(/Serving; Ctrl-C stops everything\./);
  const text = quickstart.stdout.text;
  const [, url = ''] = /^gateway {2}(\S+)$/m.exec(text) ?? [];
  const [, status = ''] = /^ {2}(\S+)\/status$/m.exec(text) ?? [];
  expect(text).toContain(`  Claude Code    claude mcp add --transport http lintel ${url}\n`);
  expect(text).toContain(`  VS Code        .vscode/mcp.json: {"servers":{"lintel":{"type":"http","url":"${url}"}}}\n`);
  expect(text).toMatch(/^ {2}MCP Inspector {2}npx @modelcontextprotocol\/inspector, .* URL: \S+$/m);
  const servers = [...text.matchAll(/^(?:notes|climate) +(\S+)$/gm)].map(([, server = '']) => server);
  const all = [url, status, ...servers];
  expect(await Promise.all(all.map(isListening))).toEqual([true, true, true, true]);

  interrupt(quickstart);
  expect(await quickstart.exitCode()).toBe(0);
  expect(await Promise.all(all.map(isListening))).toEqual([false, false, false, false]);
});

test('all processes of quickstart end when quickstart is killed', async () => {
  // A killed process cannot remove its files, so the test does.
  await using scratch = await temporaryFolder();
  await using quickstart = start(QUICKSTART, [], { env: { TMPDIR: scratch.path } });
  await quickstart.stdout.next(/Serving; Ctrl-C stops everything\./);
  const urls = [...new Set(quickstart.stdout.text.match(/http:\/\/127\.0\.0\.1:\d+/g))];
  expect(urls).toHaveLength(4);
  quickstart.kill('SIGKILL');
  await eventually(async () => (await Promise.all(urls.map(isListening))).every(listening => !listening));
});

test('all processes of quickstart end when the shell ends in which npm runs it', async () => {
  await using scratch = await temporaryFolder();
  // As `npm run` does, whose SIGTERM reaches only this shell.
  const shell = spawn('sh', ['-c', '"$0" "$1"; true', process.execPath, QUICKSTART], {
    env: { ...process.env, TMPDIR: scratch.path, npm_lifecycle_event: 'quickstart' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stdout = new Output('stdout', shell.stdout);
  await stdout.next(/Serving; Ctrl-C stops everything\./);
  const urls = [...new Set(stdout.text.match(/http:\/\/127\.0\.0\.1:\d+/g))];
  expect(urls).toHaveLength(4);
  shell.kill('SIGTERM');
  await eventually(async () => (await Promise.all(urls.map(isListening))).every(listening => !listening));
});
