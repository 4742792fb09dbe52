import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PROGRAM, temporaryFolder } from '../../support/process.ts';
import { GROUP } from '../specs.ts';

test('lintel does not fail when the reader of its output stops early, as `head` does', async () => {
  // Much more than the buffer of a pipe.
  const keys = Array.from({ length: 200 }, (_, index) => `  ${'x'.repeat(200)}${index}: 1\n`).join('');
  const file = (name: string) => `${GROUP.replace('tools', name)}spec:\n${keys}`;
  const names = Array.from({ length: 10 }, (_, index) => `group-${index}`);
  await using folder = await temporaryFolder(Object.fromEntries(names.map(name => [`${name}.yaml`, file(name)])));
  const script = `"${process.execPath}" "${PROGRAM.lintel}" check . --format json | head -c 1; echo " \${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: folder.path });
  expect({ stdout, stderr }).toEqual({ stdout: '{ 1\n', stderr: '' });
});
