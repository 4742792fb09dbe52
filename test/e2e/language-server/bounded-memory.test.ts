/** The process that an editor starts is also the server, with V8's memory limited. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Editor } from '../../support/editor.ts';
import { temporaryFolder } from '../../support/process.ts';

const hasExecve = process.execve !== undefined && process.platform === 'linux';

async function nodeOptions(pid: number): Promise<string> {
  const variables = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  return variables.find(variable => variable.startsWith('NODE_OPTIONS='))?.slice('NODE_OPTIONS='.length) ?? '';
}

test.skipIf(!hasExecve).each([
  ['by itself', [], '--max-semi-space-size=8'],
  ['unless the editor has bounded it', ['--max-semi-space-size=4'], ''],
])('the language server limits the memory of V8 %s', async (_title, given, expected) => {
  await using folder = await temporaryFolder({
    'lintel.yaml': 'sources: [specs]\n',
    'specs/a.yaml': 'kind: Nothing\n',
  });
  await using editor = await Editor.in(folder.path, { nodeOptions: given });
  expect(editor.initialized?.serverInfo?.name).toBe('lintel');
  expect(await nodeOptions(editor.pid)).toBe(expected);
});
