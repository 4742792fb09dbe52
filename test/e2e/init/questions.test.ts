/** `lintel init` with a user at a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** Types each answer once the question before it is shown. */
async function typed(
  folder: TemporaryFolder,
  args: string,
  keys: readonly (readonly [shown: string, keys: string])[],
  // An empty home, so that clients of this machine have no effect.
  home = '/nowhere',
) {
  const command = `stty cols 200; exec ${process.execPath} ${PROGRAM.lintel} init ${args}`;
  const { PATH } = process.env;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder.path,
    env: { PATH, HOME: home, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const waiting = [...keys];
  let text = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    // One chunk of output may contain several of them.
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const at = text.indexOf(next[0], from);
      if (at === -1) return;
      waiting.shift();
      from = at + next[0].length;
      child.stdin.write(next[1]);
    }
  });
  const [code] = await ended;
  return { code: code as number | null, text: stripVTControlCharacters(text) };
}

withPeers('script').describe('on a terminal', () => {
  test('`lintel init` asks three questions, repeats a question after an invalid answer, and writes the answers', async () => {
    await using folder = await temporaryFolder();
    const { code, text } = await typed(folder, '', [
      ['Name of the gateway?', 'Tools!\n'],
      ['a name has small letters', ''],
      ['Name of the gateway?', 'tools\n'],
      ['URL of an MCP server', 'https://docs.mcp.example.com/mcp\n'],
      ['Check in CI (github, gitlab, gitea, none)? [none]', 'gitlab\n'],
    ]);
    expect(code).toBe(0);
    expect(text.match(/\?/g)).toHaveLength(4);
    const specs = await readFile(folder.file('specs/gateway.yaml'), 'utf8');
    expect(specs).toContain('  name: tools\n');
    expect(specs).toContain('remoteUrl: https://docs.mcp.example.com/mcp\n');
    expect(await readdir(folder.path)).toContain('.gitlab-ci.yml');
  });

  test('`lintel init` asks nothing if specs and a CI job exist, because the answers would have no effect', async () => {
    await using folder = await temporaryFolder({ 'specs/a.yaml': 'a: 1\n', '.gitlab-ci.yml': '' });
    const { code, text } = await typed(folder, '', []);
    expect([code, text.includes('?')]).toEqual([0, false]);
    expect(text).toContain('specs exists and is left as it is: `lintel import` adds servers of a client');
  });

  test('`lintel init` takes the default for an empty line, and does not ask for a value that an option gives', async () => {
    await using folder = await temporaryFolder();
    const { code, text } = await typed(folder, '--name tools --ci none', [['URL of an MCP server', '\n']]);
    expect([code, text.match(/\?/g)?.length]).toEqual([0, 1]);
    expect(await readFile(folder.file('specs/gateway.yaml'), 'utf8')).toContain('https://example.com/mcp');
  });

  test('`lintel init` offers the servers of clients, also from the home folder, with the file of the folder first', async () => {
    const mcpJson = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'npx', args: ['server'] } } });
    await using folder = await temporaryFolder({ '.mcp.json': mcpJson('shared') });
    await using home = await temporaryFolder({
      '.cursor/mcp.json': mcpJson('own'),
      '.codeium/windsurf/mcp_config.json': '{"mcpServers":{}}',
    });
    const answers = [
      ['or the URL of a server, or none? [.mcp.json]', 'nothing.json\n'],
      ['nothing.json is neither the URL of a server nor a file', ''],
      ['or the URL of a server, or none? [.mcp.json]', '~/.cursor/mcp.json\n'],
    ] as const;
    const { code, text } = await typed(folder, '--name tools --ci none', answers, home.path);
    expect(code).toBe(0);
    expect(text).toContain(
      'Clients know these servers:\r\n  .mcp.json           Claude Code: shared\r\n  ~/.cursor/mcp.json  Cursor: own\r\nWhich file',
    );
    expect(await readFile(folder.file('specs/gateway.yaml'), 'utf8')).toContain('  name: own\n');
  });

  test('`lintel init` imports no servers if the user answers "none"', async () => {
    await using folder = await temporaryFolder({ '.mcp.json': '{"mcpServers":{"a":{"command":"a"}}}' });
    const { code } = await typed(folder, '--name tools --ci none', [['or none? [.mcp.json]', 'none\n']]);
    expect(code).toBe(0);
    expect(await readFile(folder.file('specs/gateway.yaml'), 'utf8')).toContain('https://example.com/mcp');
  });

  test('`lintel init --yes` asks no question', async () => {
    await using folder = await temporaryFolder();
    const { code, text } = await typed(folder, '--yes', []);
    expect([code, text.includes('?')]).toEqual([0, false]);
  });

  test('`lintel init` uses answers that were typed before their questions, and prints them after their questions', async () => {
    await using folder = await temporaryFolder();
    const { code, text } = await typed(folder, '', [['', 'Tools!\ntools\nhttps://docs.mcp.example.com/mcp\ngitlab\n']]);
    expect(code).toBe(0);
    expect(await readFile(folder.file('specs/gateway.yaml'), 'utf8')).toContain('  name: tools\n');
    expect(await readdir(folder.path)).toContain('.gitlab-ci.yml');
    for (const answered of [/gateway\? \[.*\] Tools!/, /gateway\? \[.*\] tools/, /\[none\] https:/, /\[none\] gitlab/])
      expect(text).toMatch(answered);
  });

  test.each([
    ['Ctrl-C', '\u0003', 130],
    ['the end of the input', '\u0004', 2],
  ])('%s ends `lintel init`, and no file is written', async (_, key, exitCode) => {
    await using folder = await temporaryFolder();
    const { code, text } = await typed(folder, '', [
      ['Name of the gateway?', '\n'],
      ['URL of an MCP server', key],
    ]);
    expect([code, await readdir(folder.path)]).toEqual([exitCode, []]);
    expect(text).toContain('lintel: left before the end: nothing was written');
  });
});
