/** Starting and ending process groups repeatedly leaves no process: 300 times here, or `LINTEL_CYCLES` times. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ProcessGroup } from '../../bridge/process/group.ts';
import { eventually } from '../support/process.ts';

const CYCLES = Number(process.env.LINTEL_CYCLES ?? 300);

/** Much more than a cycle takes, since machines are busy. Milliseconds. */
const LIMIT_OF_CYCLE = 500;

/** Number of process groups at the same time. */
const LANES = 4;

/** Identifies the processes of this run, because the system reuses process ids. */
const MARK = `600.${randomInt(1e9, 1e10)}`;

/** A server with a child process in its group. */
const SERVER = `sleep ${MARK} & echo started; cat > /dev/null`;

const ENDS: readonly ((group: ProcessGroup) => void)[] = [
  group => group.kill(),
  group => group.stdin.end(),
  group => process.kill(group.pid, 'SIGKILL'),
  group => group.terminate(),
];

async function cycle(number: number): Promise<void> {
  const group = await ProcessGroup.start({
    shell: ['/bin/sh'],
    command: '/bin/sh',
    args: ['-c', SERVER],
    folder: '/',
    variables: { PATH: '/usr/bin:/bin' },
  });
  group.stderr.resume();
  await once(createInterface({ input: group.stdout }), 'line');
  ENDS[number % ENDS.length]?.(group);
  await Promise.all([group.ended, group.gone]);
}

async function marked(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'args='], { maxBuffer: 2 ** 26 });
  return stdout.split('\n').filter(line => line.includes(MARK));
}

test('no process is left after the bridge has started and ended stdio servers many times', {
  timeout: CYCLES * LIMIT_OF_CYCLE,
}, async () => {
  let next = 0;
  const lane = async () => {
    while (next < CYCLES) {
      next += 1;
      await cycle(next);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(next).toBe(CYCLES);
  await eventually(async () => (await marked()).length === 0);
});
