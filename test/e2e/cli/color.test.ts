import { expect, test } from 'vitest';
import { useColor } from '../../../compiler/commands/use-color.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { WITH_ERROR } from '../specs.ts';

const ESCAPE = '\u001b[';

/** Rows of: the name, the environment, and whether `lintel` colors its output. Standard output is a pipe in all rows. */
test.each([
  ['no variable is set', {}, false],
  ['FORCE_COLOR', { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, false],
  ['NO_COLOR', { NO_COLOR: '1' }, false],
  ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, false],
  ['FORCE_COLOR with a dumb terminal', { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  ['FORCE_COLOR and an empty NO_COLOR', { NO_COLOR: '', FORCE_COLOR: '1' }, true],
])('lintel decides from the environment whether it colors output in a pipe: %s', async (_, env, isColored) => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const check = await runLintel(['check', '.'], { cwd: folder.path, env });
  const build = await runLintel(['build', '.', '--out', 'out'], { cwd: folder.path, env });
  expect([check.stdout.includes(ESCAPE), build.stderr.includes(ESCAPE)]).toEqual([isColored, isColored]);
});

test('lintel never colors JSON', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const options = { cwd: folder.path, env: { FORCE_COLOR: '1' } };
  const { stdout } = await runLintel(['check', '.', '--format', 'json'], options);
  expect(stdout).not.toContain(ESCAPE);
});

/** A terminal, by its environment variables. */
test.each([
  [{ TERM: 'xterm-256color' }, true],
  [{}, true],
  [{ TERM: 'dumb' }, false],
  [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
  [{ TERM: 'xterm', NO_COLOR: '1' }, false],
  [{ TERM: 'xterm', NO_COLOR: '' }, true],
  [{ TERM: 'xterm', FORCE_COLOR: '0' }, false],
])('lintel decides whether it colors output on a terminal with %j: %s', (env, isColored) => {
  expect(useColor({ isTTY: true }, env)).toBe(isColored);
});
