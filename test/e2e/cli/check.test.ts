import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM, run, temporaryFolder } from '../../support/process.ts';
import { CLEAN, ENTRY, FOREIGN, GROUP, gateway, WITH_ERROR, WITH_UNSUPPORTED, WITH_WARNING } from '../specs.ts';

const ERROR = `error[LNT1011] not-in-enum: expected one of "prefix", "priority", "manual", found the string "prefics"
 --> gateway.yaml:7:48
  |
7 |   config: { aggregation: { conflictResolution: prefics } }
  |                                                ^^^^^^^
  = fix: did you mean "prefix"?

1 error in 3 files (3 objects checked)
`;
const WARNING = `warning[LNT1008] field-ignored: spec.config.aggregation.conflictResolutionConfig.priorityOrder has no effect: conflictResolution is prefix, not priority
 --> gateway.yaml:7:56
  |
7 |   config: { aggregation: { conflictResolutionConfig: { priorityOrder: [github] } } }
  |                                                        ^^^^^^^^^^^^^
  = help: Remove the field, or change what overrules it

1 warning in 3 files (3 objects checked)
`;
const HINT = `hint[LNT1009] not-supported-yet: the optimizer: not supported yet (spec.config.optimizer)
 --> gateway.yaml:7:13
  |
7 |   config: { optimizer: { embeddingService: https://embeddings.example.com } }
  |             ^^^^^^^^^
  = help: Wait for a version that supports it; take the field out only if the gateway is right without it

1 hint in 3 files (3 objects checked)
`;
const NOTHING = 'no findings in 3 files (3 objects checked)\n';

test.each([
  ['clean specs', CLEAN, [], 0, NOTHING],
  ['clean specs, whatever fails', CLEAN, ['--fail-on', 'hint'], 0, NOTHING],
  ['an error', WITH_ERROR, [], 1, ERROR],
  ['a warning', WITH_WARNING, [], 0, WARNING],
  ['a warning, when it fails', WITH_WARNING, ['--fail-on', 'warning'], 1, WARNING],
  ['a warning, when hints fail', WITH_WARNING, ['--fail-on', 'hint'], 1, WARNING],
  ['a hint', WITH_UNSUPPORTED, [], 0, HINT],
  ['a hint, when warnings fail', WITH_UNSUPPORTED, ['--fail-on', 'warning'], 0, HINT],
  ['a hint, when it fails', WITH_UNSUPPORTED, ['--fail-on', 'hint'], 1, HINT],
])('%s', async (_, files, args, code, stdout) => {
  await using folder = await temporaryFolder(files);
  expect(await run(PROGRAM.lintel, ['check', '.', ...args], { cwd: folder.path })).toEqual({
    code,
    stdout,
    stderr: '',
  });
});

test('a folder is searched for .yaml, .yml and .json, whatever is below hidden folders and node_modules', async () => {
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
  expect(await run(PROGRAM.lintel, ['check', '.'], { cwd: folder.path })).toEqual({
    code: 0,
    stdout: 'no findings in 4 files (3 objects checked, 1 foreign object left alone)\n',
    stderr: '',
  });
});

test('files given twice, by name and by folder, are read once', async () => {
  await using folder = await temporaryFolder(CLEAN);
  const { code, stdout } = await run(PROGRAM.lintel, ['check', 'gateway.yaml', '.', './group.yaml'], {
    cwd: folder.path,
  });
  expect([code, stdout]).toEqual([0, NOTHING]);
});

test('standard input is named <stdin>', async () => {
  const input = [GROUP, ENTRY, WITH_ERROR['gateway.yaml']].join('---\n');
  const { code, stdout, stderr } = await run(PROGRAM.lintel, ['check', '-'], { input });
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toContain(' --> <stdin>:16:48\n');
  expect(stdout).toMatch(/\n1 error in 1 file \(3 objects checked\)\n$/);
});

test('standard input and files together', async () => {
  await using folder = await temporaryFolder({ 'group.yaml': GROUP, 'entry.yaml': ENTRY });
  const options = { cwd: folder.path, input: gateway('eng') };
  expect(await run(PROGRAM.lintel, ['check', '-', '.'], options)).toEqual({ code: 0, stdout: NOTHING, stderr: '' });
});

test('what cannot be read makes the answer incomplete: exit code 3, and the other findings are printed', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  await symlink('nothing', folder.file('broken.yaml'));
  const { code, stdout } = await run(PROGRAM.lintel, ['check', '.'], { cwd: folder.path });
  expect(code).toBe(3);
  expect(stdout).toContain(`error[LNT1018] unreadable-input: cannot be read: it does not exist, or is a link to nothing
 --> broken.yaml:1:1
`);
  expect(stdout).toContain(' --> gateway.yaml:7:48\n');
  expect(stdout).toMatch(/\n2 errors in 3 files \(3 objects checked\); not everything could be checked\n$/);
});
