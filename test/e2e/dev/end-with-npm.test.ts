/** A signal to `npx` ends the program, although the shell in between does not forward it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { PROGRAM, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

test.each<[command: string, args: string]>([
  ['dev', FREE_PORTS.join(' ')],
  ['serve', FREE_PORTS.join(' ')],
  ['check', '--watch'],
])('`lintel %s` ends when the shell ends in which npm started it', async (command, args) => {
  await using folder = await temporaryFolder({
    'gateway.yaml': `${GROUP}---\n${inlineGateway('open', 'http://127.0.0.1:9/mcp')}`,
  });
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  // A second command keeps the shell from replacing itself with the program.
  const line = `"${process.execPath}" "${PROGRAM.lintel}" ${command} . ${args}; true`;
  const shell = spawn('sh', ['-c', line], {
    cwd: folder.path,
    env: { PATH, HOME, NODE_COMPILE_CACHE, npm_command: 'exec' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(shell.stdout, 'data');
  // Every process that still runs holds the other end of the pipe.
  const ended = once(shell, 'close');
  shell.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});
