/** An existing repository adopts Lintel: current findings go into a baseline, and only new ones count. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FORMATS } from '../../../compiler/diagnostics/render/index.ts';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, gateway, UNLOCKED, WITH_ERROR, WITH_WARNING } from '../specs.ts';

const BASELINE = 'lintel-baseline.json';

/** An error of configuration: tools are hidden by default, and no entry shows those of the workload. */
const WITH_MISTAKE = {
  ...CLEAN,
  'gateway.yaml': gateway(
    'eng',
    '{ aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [github] }, defaultToolVisibility: deny } }',
  ),
};

/** The error in the baseline hides what would be found in its gateway. */
const WAITS =
  'not checked because of these errors: 1 gateway as a whole; there may be more findings once the errors are fixed\n';

const lintel = (folder: TemporaryFolder, ...args: string[]) => runLintel(args, { cwd: folder.path });

test('`lintel check` hides the findings of the baseline, and `lintel baseline --prune` removes those that no longer occur', async () => {
  await using folder = await temporaryFolder(WITH_MISTAKE);
  expect(await lintel(folder, 'check', '.')).toMatchObject({ code: 1 });
  expect(await lintel(folder, 'baseline', '.')).toEqual({ code: 0, stdout: `${BASELINE}: 1 finding\n`, stderr: '' });
  expect(await lintel(folder, 'check', '.')).toEqual({
    code: 0,
    stdout: `no findings in 3 files (3 objects checked); 1 finding in the baseline; 1 error of these still keeps a bundle from being built\n${WAITS}${UNLOCKED}`,
    stderr: '',
  });

  // Errors prevent a bundle, whether they are in the baseline or not.
  expect(await lintel(folder, 'build', '.', '--out', 'out')).toMatchObject({ code: 1, stdout: '' });

  await folder.write({ 'other.yaml': gateway('other', '{ aggregation: { conflictResolution: prefics } }') });
  const withNew = await lintel(folder, 'check', '.');
  expect(withNew.code).toBe(1);
  expect(withNew.stdout).toMatch(
    / --> other\.yaml:7:48\n[\s\S]*\n1 error in 4 files .*; 1 finding in the baseline; 1 error .*\nnot checked because of these errors: 2 gateways as a whole; .*\n$/,
  );

  await folder.write({ ...CLEAN, 'other.yaml': gateway('other') });
  const stale = await lintel(folder, 'check', '.', '--fail-on', 'warning');
  expect(stale).toMatchObject({ code: 1 });
  expect(stale.stdout).toContain(`warning[LNT1035] stale-baseline: 1 finding of the baseline does not occur any more
 --> ${BASELINE}:4:5
`);
  expect(stale.stdout).toContain('= help: Run lintel baseline --prune with the same paths\n');
  expect(await lintel(folder, 'baseline', '.', '--check')).toMatchObject({
    code: 1,
    stdout: `${BASELINE}: 1 finding of 1 would be removed\n`,
  });
  expect(await lintel(folder, 'baseline', '.', '--prune')).toMatchObject({
    code: 0,
    stdout: `${BASELINE}: removed 1 finding, 0 left\n`,
  });
  expect(await lintel(folder, 'baseline', '.', '--check')).toMatchObject({ code: 0 });
  expect(await lintel(folder, 'check', '.', '--fail-on', 'hint')).toMatchObject({ code: 0 });
  expect(await readFile(folder.file(BASELINE), 'utf8')).toBe('{\n  "formatVersion": 1,\n  "findings": []\n}\n');
});

test('`lintel baseline` leaves out a finding that cannot be suppressed, and an entry that a person writes does not hide it either', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  expect(await lintel(folder, 'baseline', '.')).toEqual({
    code: 0,
    stdout: `${BASELINE}: 0 findings\n`,
    stderr:
      'lintel: 1 finding is not in the baseline, because it cannot be suppressed: 1 of LNT1011; `lintel check` shows it, and it still fails\n',
  });
  expect(await lintel(folder, 'check', '.')).toMatchObject({ code: 1 });

  await folder.write({
    [BASELINE]: `{ "formatVersion": 1, "findings": [
      {"file":"gateway.yaml","object":"VirtualMCPServer default/eng","code":"LNT1011","field":"/spec/config/aggregation/conflictResolution","count":1}
    ] }\n`,
  });
  const checked = await lintel(folder, 'check', '.');
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('error[LNT1011] not-in-enum: ');
  expect(checked.stdout).toContain('warning[LNT1034] fixed-code: LNT1011 has no effect in a baseline: ');
  expect(checked.stdout).not.toContain('LNT1035');
  expect(await lintel(folder, 'baseline', '.', '--check')).toMatchObject({ code: 1 });
  expect(await lintel(folder, 'baseline', '.', '--prune')).toMatchObject({
    stdout: `${BASELINE}: removed 1 finding, 0 left\n`,
  });
});

test('`lintel baseline` writes the same bytes for the same findings, from any folder and for absolute paths', async () => {
  await using folder = await temporaryFolder({
    ...WITH_WARNING,
    'lintel.yaml': 'sources: [.]\n',
    'below/note.txt': '',
  });
  const texts: string[] = [];
  for (const [cwd, args] of [
    ['.', []],
    ['.', ['gateway.yaml', 'group.yaml', 'entry.yaml']],
    ['below', []],
    ['below', [folder.path]],
  ] as const) {
    expect(await runLintel(['baseline', ...args], { cwd: folder.file(cwd) })).toMatchObject({ code: 0 });
    texts.push(await readFile(folder.file(BASELINE), 'utf8'));
    const checked = await runLintel(['check', folder.path, '--fail-on', 'hint'], {
      cwd: folder.file('below'),
    });
    expect(checked).toMatchObject({ code: 0 });
  }
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain('"file":"gateway.yaml"');
});

test('`lintel baseline` of a part of the sources keeps the other entries, and prunes the entries of a deleted file', async () => {
  const warned = gateway('ops', '{ aggregation: { conflictResolutionConfig: { priorityOrder: [github] } } }');
  await using folder = await temporaryFolder({ ...WITH_WARNING, 'ops.yaml': warned, 'lintel.yaml': 'sources: [.]\n' });
  await lintel(folder, 'baseline');
  const all = await readFile(folder.file(BASELINE), 'utf8');
  await lintel(folder, 'baseline', 'ops.yaml', 'group.yaml', 'entry.yaml');
  expect(await readFile(folder.file(BASELINE), 'utf8')).toBe(all);
  const { rm } = await import('node:fs/promises');
  await rm(folder.file('ops.yaml'));
  expect(await lintel(folder, 'check', '--fail-on', 'warning')).toMatchObject({ code: 1 });
  expect(await lintel(folder, 'baseline', '--prune')).toMatchObject({
    stdout: `${BASELINE}: removed 1 finding, 1 left\n`,
  });
});

test('lintel.yaml may name the file of the baseline', async () => {
  await using folder = await temporaryFolder({
    ...WITH_WARNING,
    'lintel.yaml': 'sources: [.]\nbaseline: conf/known.json\n',
  });
  expect(await lintel(folder, 'baseline')).toMatchObject({ stdout: 'conf/known.json: 1 finding\n' });
  expect(await lintel(folder, 'check', '--fail-on', 'hint')).toMatchObject({ code: 0 });
  expect(await readFile(folder.file('conf/known.json'), 'utf8')).toContain('"file":"../gateway.yaml"');
});

test.each([
  [
    '--prune without a baseline',
    CLEAN,
    ['.', '--prune'],
    2,
    `lintel: there is no ${BASELINE} yet: \`lintel baseline\` without --prune and --check writes it\n`,
  ],
  [
    '--check without a baseline',
    CLEAN,
    ['.', '--check'],
    2,
    `lintel: there is no ${BASELINE} yet: \`lintel baseline\` without --prune and --check writes it\n`,
  ],
  [
    'a file that cannot be read',
    { ...CLEAN, 'deep.yaml': '['.repeat(2000) },
    ['.'],
    3,
    'lintel: not everything could be checked, so there may be findings that are not known; see lintel check\n',
  ],
])('`lintel baseline` writes no file for %s', async (_, files, args, code, stderr) => {
  await using folder = await temporaryFolder(files);
  expect(await lintel(folder, 'baseline', ...args)).toEqual({ code, stdout: '', stderr });
  await expect(readFile(folder.file(BASELINE))).rejects.toThrow('ENOENT');
});

const IGNORED =
  WITH_WARNING['gateway.yaml']?.replace('  config:', '  # lintel-ignore LNT1008: on purpose\n  config:') ?? '';

/** Rows of: sources, whether a baseline is written for them first, what is added, exit code when hints fail. */
test.each<[string, { readonly [path: string]: string }, boolean, { readonly [path: string]: string }, number]>([
  ['a suppression', { ...CLEAN, 'gateway.yaml': IGNORED }, false, {}, 0],
  [
    'an unused suppression',
    { ...CLEAN, 'entry.yaml': `# lintel-ignore LNT1008: x\n${CLEAN['entry.yaml']}` },
    false,
    {},
    1,
  ],
  ['a baseline', WITH_MISTAKE, true, {}, 0],
  ['a baseline and a new finding', WITH_MISTAKE, true, { 'ops.yaml': IGNORED.replace('# lintel-ignore', '#') }, 1],
  ['a stale baseline', WITH_MISTAKE, true, CLEAN, 1],
])(
  '`lintel check` with a suppression or baseline exits with the same code in every format: %s',
  async (_, files, hasBaseline, more, code) => {
    await using folder = await temporaryFolder(files);
    if (hasBaseline) await lintel(folder, 'baseline', '.');
    await folder.write(more);
    for (const format of FORMATS) {
      const outcome = await lintel(folder, 'check', '.', '--fail-on', 'hint', '--format', format);
      expect([outcome.code, outcome.stderr], format).toEqual([code, '']);
    }
  },
);

test('the summary, JSON and SARIF of `lintel check` mention the findings that the baseline hides', async () => {
  const files = { ...WITH_MISTAKE, 'ops.yaml': IGNORED.replace('name: eng', 'name: ops') };
  await using folder = await temporaryFolder(files);
  await lintel(folder, 'baseline', '.');
  const { stdout } = await lintel(folder, 'check', '.', '--format', 'pretty');
  expect(stdout).toBe(
    `no findings in 4 files (4 objects checked); 1 finding suppressed; 1 finding in the baseline; 1 error of these still keeps a bundle from being built\n${WAITS}${UNLOCKED}`,
  );
  const json = JSON.parse((await lintel(folder, 'check', '.', '--format', 'json')).stdout);
  expect(json).toMatchObject({ valid: true, summary: { error: 0, suppressed: 1, baselined: 1 }, diagnostics: [] });
  const sarif = JSON.parse((await lintel(folder, 'check', '.', '--format', 'sarif')).stdout);
  expect(sarif.runs[0].results).toMatchObject([
    { ruleId: 'LNT3014', suppressions: [{ kind: 'external', status: 'accepted' }] },
    { ruleId: 'LNT1008', suppressions: [{ kind: 'inSource', status: 'accepted', justification: 'on purpose' }] },
  ]);
});
