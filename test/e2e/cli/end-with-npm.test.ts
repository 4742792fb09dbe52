/** A signal to `npx` ends each long-running program, although the shell in between does not forward it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../support/process.ts';
import { buildInto, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

const PORTS = FREE_PORTS.join(' ');

test.each<[shown: string, program: string, args: string]>([
  ['lintel dev', PROGRAM.lintel, `dev specs ${PORTS}`],
  ['lintel serve', PROGRAM.lintel, `serve specs ${PORTS}`],
  ['lintel check --watch', PROGRAM.lintel, 'check specs --watch'],
  ['lintel-runtime', PROGRAM.runtime, `--bundle out ${PORTS}`],
  ['lintel-controller', PROGRAM.controller, '--standalone --repo nowhere --out served --state-dir state 2>&1'],
  ['lintel-bridge', PROGRAM.bridge, '--config bridge.json --port 0'],
])('`%s` ends when the shell ends in which npm started it', async (_, program, args) => {
  await using folder = await buildInto({
    'specs/gateway.yaml': `${GROUP}---\n${inlineGateway('open', 'http://127.0.0.1:9/mcp')}`,
  });
  await folder.write({ 'bridge.json': '{"servers":{}}' });
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  // A second command keeps the shell from replacing itself with the program.
  const line = `"${process.execPath}" "${program}" ${args}; true`;
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
