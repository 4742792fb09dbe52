/** A command that is ended leaves no process of a program behind, however busy that is. */
import { expect, test } from 'vitest';
import { childProcesses, isRunning, readTicks } from '../../support/child-processes.ts';
import { eventually, PROGRAM, start } from '../../support/process.ts';
import { ProgramWorld } from '../../support/program-world.ts';

const BODIES = {
  'that is always busy': 'for (;;) {}',
  'that ignores signals': `for (const one of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(one, () => {});\nfor (;;) {}`,
  'that is always idle': `while (process.cpuUsage().user < 5e5);\nsetInterval(() => {}, 1000);\nawait new Promise(() => {});`,
};
const SIGNALS = ['SIGTERM', 'SIGKILL'] as const;

test
  .runIf(process.platform === 'linux')
  .each(Object.entries(BODIES).flatMap(([what, body]) => SIGNALS.map(signal => [signal, what, body] as const)))(
  '%s to a lintel command also ends a TypeScript program %s',
  async (signal, _what, body) => {
    await using world = await ProgramWorld.with({ 'app.ts': `export default 1;\n${body}\n` });
    await using lintel = start(PROGRAM.lintel, ['check', 'app.ts', '--no-typecheck'], { cwd: world.folder });
    const program = await eventually(() =>
      childProcesses(lintel.pid).find(({ commandLine }) => commandLine.includes('--permission')),
    );
    // Node itself starts in less time.
    await eventually(() => readTicks(program.pid) >= 40);
    const all = [program, ...childProcesses(lintel.pid)];
    lintel.kill(signal);
    await eventually(() => all.every(({ pid }) => !isRunning(pid)));
    expect(await lintel.ending).toBe(`signal ${signal}`);
  },
);

test.runIf(process.platform === 'linux')(
  'a lintel command that ends by itself leaves no process of a program behind',
  async () => {
    await using world = await ProgramWorld.with({ 'app.ts': 'export default 1;\nfor (;;) {}\n' });
    const args = ['check', 'app.ts', '--no-typecheck', '--synth-timeout', '1500ms'];
    await using lintel = start(PROGRAM.lintel, args, { cwd: world.folder });
    const seen = await eventually(() => {
      const now = childProcesses(lintel.pid);
      return now.some(({ commandLine }) => commandLine.includes('--permission')) ? now : undefined;
    });
    expect(await lintel.exitCode()).toBe(3);
    expect(seen.filter(({ pid }) => isRunning(pid))).toEqual([]);
  },
);
