/** The report of `lintel import` wraps the lines about each server to the width of the terminal. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planImport, readImportedFile, renderPlan } from '../../../compiler/import/index.ts';
import { temporaryFolder } from '../../support/process.ts';
import { FILES } from './imported.ts';

function report(file: string, columns: number | undefined): string {
  const files = readImportedFile(file).map(found => ({ file: 'mcp.json', found }));
  const plan = planImport(files, { taken: new Set(), plain: new Set() });
  return renderPlan({ ...plan, files: files.map(({ found }) => ({ file: 'mcp.json', form: found.form })) }, columns);
}

test('the report of lintel import puts the description of a server below its name on a narrow terminal', async () => {
  const mcpServers = {
    files: { command: 'npx', args: ['-y', 'server-files', '/srv/a', '/srv/b'], timeout: 5 },
    docs: { url: 'https://docs.example.com/mcp?limit=5' },
  };
  await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers }) });
  expect(report(folder.file('mcp.json'), 60)).toBe(`mcp.json: servers of an MCP client

Carried over:
  mcpServers.files  files  stdio
    npx -y server-files /srv/a /srv/b
    settings of the client only: timeout
  mcpServers.docs   docs   streamable-http (guessed)
    https://docs.example.com/mcp?limit=5

Servers that get no credential, and may ask people to sign in:
  mcpServers.docs
    npx lintel doctor auth
    'https://docs.example.com/mcp?limit=5'

These commands say whether a server asks. Clients sign
people in by themselves, and a gateway does not:
docs/import.md says what to write then.
`);
});

test.each(readdirSync(FILES))('the report of lintel import of %s wraps at 80 columns and keeps all words', name => {
  const text = report(join(FILES, name), 80);
  const broken = text.split('\n').filter(line => /^(?: {4}\S|\S)/.test(line) && line.trim().includes(' '));
  for (const line of broken) expect(line.length, line).toBeLessThanOrEqual(80);
  // Wrapping loses no word.
  const words = (shown: string) => shown.split(/\s+/).sort();
  expect(words(text)).toEqual(words(report(join(FILES, name), undefined)));
});
