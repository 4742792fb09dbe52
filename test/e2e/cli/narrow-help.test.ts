/** Help on a terminal of 60 columns, such as half a window. */
import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM } from '../../support/process.ts';

const COLUMNS = 60;

/** What a program prints on such a terminal, by lines. */
async function readScreen(program: string, args: readonly string[]): Promise<readonly string[]> {
  const words = [process.execPath, program, ...args].map(word => `'${word}'`).join(' ');
  const { PATH, HOME } = process.env;
  const { stdout } = await promisify(execFile)('script', ['-qec', `stty cols ${COLUMNS}; ${words}`, '/dev/null'], {
    env: { PATH, HOME, TERM: 'xterm' },
  });
  return stripVTControlCharacters(stdout).split('\r\n');
}

withPeers('script').describe('on a terminal of 60 columns', () => {
  test.each([
    ['lintel', PROGRAM.lintel, ['--help'], 'Check specs and print every finding'],
    ['lintel diff', PROGRAM.lintel, ['diff', '--help'], '--fail-on <kind>'],
    ['lintel-runtime', PROGRAM.runtime, ['--help'], '--bundle PATH'],
    ['lintel-controller', PROGRAM.controller, ['--help'], '--kubeconfig FILE'],
    ['lintel-bridge', PROGRAM.bridge, ['--help'], '--config FILE'],
  ])('the help of %s fits a terminal of 60 columns', async (_, program, args, text) => {
    const lines = await readScreen(program, args);
    expect(lines.join('\n')).toContain(text);
    expect(lines.filter(line => line.length > COLUMNS)).toEqual([]);
  });
});
