/** `lintel import` quotes texts such as `off` and `1:30`, which YAML 1.1 parsers such as kubectl's read as a boolean and a number. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';

const SERVER = {
  command: 'npx',
  args: ['-y', 'off', '0o17', '1:30', '~', '1_000'],
  env: { MODE: 'off', YES: 'yes', ON: 'On', LIMIT: '0777' },
};

test('lintel import quotes texts that YAML 1.1 parsers read as another type', async () => {
  await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers: { on: SERVER } }) });
  expect(await runLintel(['import', 'mcp.json', '--partial'], { cwd: folder.path })).toMatchObject({ code: 0 });
  const text = await readFile(folder.file('specs/imported.yaml'), 'utf8');
  const read = (version: '1.1' | '1.2') => parseAllDocuments(text, { version }).map(document => document.toJS());
  expect(read('1.1')).toEqual(read('1.2'));
  expect((await runLintel(['check'], { cwd: folder.path })).stdout).not.toContain('LNT1024');
});
