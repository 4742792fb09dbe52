import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import {
  CLEAN,
  ENTRY,
  FOREIGN,
  GROUP,
  gateway,
  UNLOCKED,
  WITH_ERROR,
  WITH_UNSUPPORTED,
  WITH_WARNING,
} from '../specs.ts';

const WAITS =
  'not checked because of these errors: 1 gateway as a whole; there may be more findings once the errors are fixed\n';
const ERROR = `error[LNT1011] not-in-enum: expected one of "prefix", "priority", "manual", found the string "prefics"
 --> gateway.yaml:7:48
  |
7 |   config: { aggregation: { conflictResolution: prefics } }
  |                                                ^^^^^^^
  = fix: did you mean "prefix"?

1 error in 3 files (3 objects checked)
${WAITS}`;
const WARNING = `warning[LNT1008] field-ignored: spec.config.aggregation.conflictResolutionConfig.priorityOrder has no effect: conflictResolution is prefix, not priority
 --> gateway.yaml:7:56
  |
7 |   config: { aggregation: { conflictResolutionConfig: { priorityOrder: [github] } } }
  |                                                        ^^^^^^^^^^^^^
  = help: Remove the field, or change what overrides it

1 warning in 3 files (3 objects checked)
${UNLOCKED}`;
const unserved = (
  severity: 'error' | 'hint',
) => `${severity}[LNT1009] not-supported-yet: code mode: not supported yet (spec.config.codeMode)
 --> gateway.yaml:7:13
  |
7 |   config: { codeMode: { enabled: true } }
  |             ^^^^^^^^
  = help: Wait for a version that supports it. Remove the field only if the gateway works as intended without it

1 ${severity} in 3 files (3 objects checked)
${severity === 'hint' ? UNLOCKED : ''}`;
const NOTHING = `no findings in 3 files (3 objects checked)\n${UNLOCKED}`;

test.each([
  ['clean specs', CLEAN, [], 0, NOTHING],
  ['clean specs with --fail-on hint', CLEAN, ['--fail-on', 'hint'], 0, NOTHING],
  ['an error', WITH_ERROR, [], 1, ERROR],
  ['a warning', WITH_WARNING, [], 0, WARNING],
  ['a warning with --fail-on warning', WITH_WARNING, ['--fail-on', 'warning'], 1, WARNING],
  ['a warning with --fail-on hint', WITH_WARNING, ['--fail-on', 'hint'], 1, WARNING],
  ['a field that cannot be served yet', WITH_UNSUPPORTED, [], 1, unserved('error')],
  [
    'a field that cannot be served yet with --language-only',
    WITH_UNSUPPORTED,
    ['--language-only'],
    0,
    unserved('hint'),
  ],
  ['a hint with --fail-on warning', WITH_UNSUPPORTED, ['--language-only', '--fail-on', 'warning'], 0, unserved('hint')],
  ['a hint with --fail-on hint', WITH_UNSUPPORTED, ['--language-only', '--fail-on', 'hint'], 1, unserved('hint')],
])('`lintel check` prints its findings and exits with the right code: %s', async (_, files, args, code, stdout) => {
  await using folder = await temporaryFolder(files);
  expect(await runLintel(['check', '.', ...args], { cwd: folder.path })).toEqual({
    code,
    stdout,
    stderr: '',
  });
});

test('`lintel check` reads .yaml, .yml and .json files of a folder, but not below hidden folders and node_modules', async () => {
  await using folder = await temporaryFolder({
    'group.yml': GROUP,
    'deep/er/entry.JSON': JSON.stringify({
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'MCPServerEntry',
      metadata: { name: 'github' },
      spec: {
        remoteUrl: 'https://github.example.com/mcp',
        transport: 'streamable-http',
        groupRef: { name: 'tools' },
      },
    }),
    'deep/gateway.yaml': gateway('eng'),
    'deep/service.yaml': FOREIGN,
    'notes.txt': 'not: [read',
    '.git/config.yaml': 'not: [read',
    'node_modules/some/package.json': 'not: [read',
  });
  expect(await runLintel(['check', '.'], { cwd: folder.path })).toEqual({
    code: 0,
    stdout: `no findings in 4 files (3 objects checked, 1 foreign object left alone)\n${UNLOCKED}`,
    stderr: '',
  });
});

test('`lintel check` reads a file only once if its arguments name both the file and its folder', async () => {
  await using folder = await temporaryFolder(CLEAN);
  const { code, stdout } = await runLintel(['check', 'gateway.yaml', '.', './group.yaml'], {
    cwd: folder.path,
  });
  expect([code, stdout]).toEqual([0, NOTHING]);
});

test('`lintel check -` reports a finding in standard input as a finding in <stdin>', async () => {
  const input = [GROUP, ENTRY, WITH_ERROR['gateway.yaml']].join('---\n');
  const { code, stdout, stderr } = await runLintel(['check', '-'], { input });
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toContain(' --> <stdin>:16:48\n');
  expect(stdout.endsWith(`\n1 error in 1 file (3 objects checked)\n${WAITS}`)).toBe(true);
});

test('`lintel check` can check standard input and files together', async () => {
  await using folder = await temporaryFolder({ 'group.yaml': GROUP, 'entry.yaml': ENTRY });
  const options = { cwd: folder.path, input: gateway('eng') };
  expect(await runLintel(['check', '-', '.'], options)).toEqual({ code: 0, stdout: NOTHING, stderr: '' });
});

test('`lintel check` prints the other findings and exits with code 3 if a file is unreadable', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  await symlink('nothing', folder.file('broken.yaml'));
  const { code, stdout } = await runLintel(['check', '.'], { cwd: folder.path });
  expect(code).toBe(3);
  expect(
    stdout,
  ).toContain(`error[LNT1018] unreadable-input: cannot be read: it does not exist, or is a link to a file that does not exist
 --> broken.yaml:1:1
`);
  expect(stdout).toContain(' --> gateway.yaml:7:48\n');
  const closing = `\n2 errors in 3 files (3 objects checked); not everything could be checked\n${WAITS}`;
  expect(stdout.endsWith(closing)).toBe(true);
});

test('`lintel check` without a tool lock counts the rules that it could not run, and --all names them', async () => {
  await using folder = await temporaryFolder({ ...CLEAN });
  const check = (...args: string[]) => runLintel(['check', '.', ...args], { cwd: folder.path });
  const { stdout } = await check();
  const advice =
    'to have them checked, run `lintel lock` with the same paths where the backends can be reached, and commit lintel.lock.json\n';
  expect(stdout).toMatch(
    /^no findings in .*\nnot checked without a tool lock: \d+ rules \(`lintel check --all` names them\); /,
  );
  expect(stdout.endsWith(advice)).toBe(true);
  const compact = await check('--format', 'compact');
  expect(compact.stdout).toMatch(/^note: not checked without a tool lock: \d+ rules .*\n$/);
  const all = await check('--all');
  expect(all.stdout).toMatch(
    /^no findings in .*\nnot checked without a tool lock: LNT3001 tool-not-in-catalog, .*LNT7010 unanswered-question; to have them checked, run `lintel lock` with the same paths where the backends can be reached, and commit lintel\.lock\.json\n$/,
  );
  const { notJudged } = JSON.parse((await check('--format', 'json')).stdout);
  const rules = expect.arrayContaining([{ code: 'LNT3001', name: 'tool-not-in-catalog' }]);
  expect(notJudged).toMatchObject([{ because: 'no-lock', rules, fix: expect.stringContaining('lintel lock') }, {}]);
  for (const format of ['markdown', 'github', 'sarif', 'junit']) {
    expect((await check('--format', format, '--all')).stdout, format).toContain('LNT7010 unanswered');
    expect((await check('--format', format)).stdout, format).toContain('not checked without a tool lock');
  }

  await folder.write({ 'lintel.lock.json': '{\n  "lockfileVersion": 1,\n  "backends": {}\n}\n' });
  const locked = await check('--format', 'json');
  expect(JSON.parse(locked.stdout).notJudged).toMatchObject([{ because: 'not-for-pods' }]);
  expect((await check()).stdout).not.toContain('not checked');
});

test('`lintel check --all` shows findings that are otherwise only counted, and the JSON always has all findings', async () => {
  const fields = Array.from({ length: 30 }, (_, at) => `  x${at}: 1\n`).join('');
  await using folder = await temporaryFolder({ 'group.yaml': `${GROUP}spec:\n${fields}` });
  const check = async (...args: string[]) => (await runLintel(['check', '.', ...args], { cwd: folder.path })).stdout;
  const more = '… and 10 more of LNT1003 unknown-field; `lintel check --all` shows them\n';
  const some = await check();
  expect([some.match(/error\[LNT1003\]/g)?.length, some.includes(more)]).toEqual([20, true]);
  expect(some).toContain('30 errors in 1 file');
  const all = await check('--all');
  expect([all.match(/error\[LNT1003\]/g)?.length, all.includes('more of')]).toEqual([30, false]);
  expect(JSON.parse(await check('--format', 'json')).diagnostics).toHaveLength(30);
  for (const format of ['compact', 'markdown']) {
    const lines = (text: string) => text.split('\n').filter(line => /unknown field/.test(line)).length;
    expect([lines(await check('--format', format)), lines(await check('--format', format, '--all'))]).toEqual([20, 30]);
  }
  expect(JSON.parse(await check('--format', 'sarif')).runs[0].results).toHaveLength(30);
});

test('the JSON of `lintel check` counts the objects, rules and gateways that it cannot check before errors are corrected', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const { stdout } = await runLintel(['check', '.', '--format', 'json'], { cwd: folder.path });
  expect(JSON.parse(stdout).waiting).toEqual({ objects: 0, rules: 0, gateways: 1 });
});
