/** Commands of the built program in processes of their own: they behave as in the shared process of the other tests (`runLintel`). */
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { type Outcome, PROGRAM, run, temporaryFolder } from '../../support/process.ts';
import { CLEAN, gateway } from '../specs.ts';

const FILES = {
  ...Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/${name}`, text])),
  'wider/gateway.yaml': gateway('other'),
  'callers/ann.json': '{ "sub": "ann" }\n',
  'mcp.json': '{ "mcpServers": { "a": { "type": "http", "url": "https://a.example.com/mcp" } } }\n',
  'audit.log': '{}\n',
};

const runOwn = (args: readonly string[], options: { readonly cwd: string; readonly input: string }) =>
  run(PROGRAM.lintel, args, options);

test.each<[args: readonly string[], input?: string]>([
  [['init', 'new', '--yes']],
  [['import', 'mcp.json', '--out', 'imported']],
  [['check', '-'], gateway('eng')],
  [['build', 'specs', '--out', 'out', '--format', 'json']],
  [['exposure', 'specs']],
  [['diff', 'specs', 'wider']],
  [['can', 'call', 'find', 'specs']],
  [['find', 'book a room', 'specs']],
  [['matrix', '--as', 'callers', 'specs']],
  [['lock', 'specs', '--offline']],
  [['baseline', 'specs']],
  [['export', 'ts', 'specs']],
  [['audit', 'verify', 'audit.log']],
  [['explain', 'LNT1003']],
  [['connect', 'cursor']],
  [['ls', 'ftp://127.0.0.1']],
  [['call', 'find', '{}', '--url', 'ftp://127.0.0.1']],
  [['doctor', 'auth', 'ftp://127.0.0.1']],
  [['chek']],
])(
  'lintel in a process of its own gives the same result as in the process of the tests: %j',
  async (args, input = '') => {
    const [own, kept] = [await outcome(runOwn), await outcome(runLintel)];
    expect(own).toEqual(kept);

    async function outcome(runIt: typeof runOwn): Promise<Outcome & { readonly files: readonly string[] }> {
      await using folder = await temporaryFolder(FILES);
      const result = await runIt(args, { cwd: folder.path, input });
      const files = (await readdir(folder.path, { recursive: true })).toSorted();
      return { ...result, files };
    }
  },
);
