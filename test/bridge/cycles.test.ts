/** Starting and ending groups over and over leaves no process: 300 times here, as often as `LINTEL_CYCLES` says elsewhere. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { ProcessGroup } from '../../bridge/process/group.ts';
import { eventually } from '../support/process.ts';
import { isRunning } from './running-bridge.ts';

const CYCLES = Number(process.env.LINTEL_CYCLES ?? 300);

/** At the same time. */
const LANES = 4;

/** A server that has a child in its group. */
const SERVER = 'sleep 600 & echo $!; cat > /dev/null';

const ENDS: readonly ((group: ProcessGroup) => void)[] = [
  group => group.kill(),
  group => group.stdin.end(),
  group => process.kill(group.pid, 'SIGKILL'),
  group => group.terminate(),
];

async function cycle(number: number): Promise<readonly number[]> {
  const group = await ProcessGroup.start({
    command: '/bin/sh',
    args: ['-c', SERVER],
    folder: '/',
    variables: { PATH: '/usr/bin:/bin' },
  });
  group.stderr.resume();
  const [child] = await once(createInterface({ input: group.stdout }), 'line');
  ENDS[number % ENDS.length]?.(group);
  await Promise.all([group.ended, group.gone]);
  return [group.pid, Number(child)];
}

test('no process is left', async () => {
  const pids: number[] = [];
  let next = 0;
  const lane = async () => {
    while (next < CYCLES) {
      next += 1;
      pids.push(...(await cycle(next)));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(pids.length).toBe(2 * CYCLES);
  // A number may be that of another process by now, but not each time that it is looked at.
  await eventually(() => !pids.some(isRunning));
});
