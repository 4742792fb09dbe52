/** While a program with specs does not end, `lintel dev` still follows its correction, and still shuts down at once. */
import { expect, test } from 'vitest';
import { childProcesses, isRunning, readTicks } from '../../support/child-processes.ts';
import { eventually, PROGRAM, type Program, start } from '../../support/process.ts';
import { ProgramWorld } from '../../support/program-world.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

const APP = `import { App, Chart } from 'cdk8s';
import { id } from './lib/names.ts';
export default new Chart(new App(), id);
`;
const GOOD = `export const id = 'good';\n`;
const HANGING = `export const id: string = 'hanging';\nfor (;;) {}\n`;

const withNames = (names: string) => ProgramWorld.with({ ...CLEAN, 'app.ts': APP, 'lib/names.ts': names });

function dev(world: ProgramWorld): Program {
  // Longer than any test: nothing here ends by the deadline.
  const args = ['dev', 'app.ts', ...Object.keys(CLEAN), '--no-typecheck', '--synth-timeout', '10m', ...FREE_PORTS];
  return start(PROGRAM.lintel, args, { cwd: world.folder });
}

/** Waits until a program runs its own code, not only until its process has started. */
async function hanging(lintel: Program): Promise<number> {
  const busy = await eventually(() => {
    const programs = childProcesses(lintel.pid).filter(({ commandLine }) => commandLine.includes('--permission'));
    return programs.find(({ pid }) => readTicks(pid) >= 40);
  });
  return busy.pid;
}

const onLinux = test.runIf(process.platform === 'linux');

onLinux('its correction ends it, when it hangs from the start', async () => {
  await using world = await withNames(HANGING);
  await using lintel = dev(world);
  const pid = await hanging(lintel);
  await world.write({ 'lib/names.ts': GOOD });
  expect(await lintel.announcement<Announcement>()).toMatchObject({ gateway: 'default/eng' });
  expect(isRunning(pid)).toBe(false);
});

onLinux('its correction ends it, while a gateway is served', async () => {
  await using world = await withNames(GOOD);
  await using lintel = dev(world);
  await lintel.announcement<Announcement>();
  await world.write({ 'lib/names.ts': HANGING });
  const pid = await hanging(lintel);
  await world.write({ 'lib/names.ts': GOOD });
  await lintel.stderr.next(/lintel: compiled in \d+ ms\n/);
  expect(isRunning(pid)).toBe(false);
  expect(lintel.stderr.text).not.toMatch(/abort/i);
});

onLinux.each(['SIGTERM', 'SIGINT'] as const)('%s ends it, when it hangs from the start', async signal => {
  await using world = await withNames(HANGING);
  await using lintel = dev(world);
  const pid = await hanging(lintel);
  lintel.kill(signal);
  expect(await lintel.exitCode()).toBe(0);
  expect(isRunning(pid)).toBe(false);
});

onLinux('SIGTERM ends it, while a gateway is served and edits are pending', async () => {
  await using world = await withNames(GOOD);
  await using lintel = dev(world);
  await lintel.announcement<Announcement>();
  await world.write({ 'lib/names.ts': HANGING });
  const pid = await hanging(lintel);
  await world.write({ 'lib/names.ts': `${HANGING}// edited\n` });
  lintel.kill('SIGTERM');
  await world.write({ 'lib/names.ts': `${HANGING}// edited again\n` });
  expect(await lintel.exitCode()).toBe(0);
  expect(isRunning(pid)).toBe(false);
});
