import { readFile, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FORMATS } from '../../../compiler/diagnostics/render/index.ts';
import { runLintel } from '../../support/lintel.ts';
import { type Outcome, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, FOREIGN, WITH_ERROR, WITH_UNSUPPORTED, WITH_WARNING } from '../specs.ts';

interface Document {
  readonly complete: boolean;
  readonly valid: boolean;
  readonly summary: { readonly error: number; readonly warning: number; readonly hint: number };
  readonly diagnostics: readonly { readonly code: string; readonly range: { readonly file: string } }[];
  readonly bundles?: readonly { readonly name: string; readonly digest: string }[];
}

const UNREADABLE = async (folder: TemporaryFolder) => symlink('nothing', folder.file('broken.yaml'));

/** Rows of: input, arguments, exit code, codes of the findings. */
test.each([
  ['clean specs', CLEAN, ['check', '.'], 0, []],
  ['an error', WITH_ERROR, ['check', '.'], 1, ['LNT1011']],
  ['a warning', WITH_WARNING, ['check', '.'], 0, ['LNT1008']],
  ['a warning that fails', WITH_WARNING, ['check', '.', '--fail-on', 'warning'], 1, ['LNT1008']],
  ['a field that cannot be served', WITH_UNSUPPORTED, ['check', '.'], 1, ['LNT1009']],
  ['a file that is not YAML', { 'a.yaml': 'a: [' }, ['check', '.'], 1, ['LNT1001']],
  ['a build', CLEAN, ['build', '.', '--out', 'out'], 0, []],
  ['a build with an error', WITH_ERROR, ['build', '.', '--out', 'out'], 1, ['LNT1011']],
  ['a build of a field that is not supported', WITH_UNSUPPORTED, ['build', '.', '--out', 'out'], 1, ['LNT1009']],
])('lintel prints one JSON document and exits as with the text format: %s', async (_, files, args, code, codes) => {
  const { pretty, json } = await inBothFormats(files, args);
  expect([pretty.code, json.code, json.stderr]).toEqual([code, code, '']);
  const document = JSON.parse(json.stdout) as Document;
  expect(document.diagnostics.map(finding => finding.code)).toEqual(codes);
  expect(document.complete).toBe(true);
  expect(document.valid).toBe(document.summary.error === 0);
});

test.each([
  ['check', ['check', '.']],
  ['build', ['build', '.', '--out', 'out']],
])(
  '`lintel %s` of an unreadable file exits with code 3, and its JSON says complete: false and valid: false',
  async (_, args) => {
    const { pretty, json } = await inBothFormats(CLEAN, args, UNREADABLE);
    expect([pretty.code, json.code]).toEqual([3, 3]);
    const document = JSON.parse(json.stdout) as Document;
    expect([document.complete, document.valid]).toEqual([false, false]);
    expect(document.diagnostics).toMatchObject([{ code: 'LNT1018', range: { file: 'broken.yaml' } }]);
  },
);

test('`lintel check --format json` prints no document for a usage error and exits with code 2', async () => {
  const { pretty, json } = await inBothFormats({ 'service.yaml': FOREIGN }, ['check', '.']);
  expect(json).toEqual(pretty);
  expect([json.code, json.stdout]).toEqual([2, '']);
});

test('`lintel build --format json` lists the bundles that it wrote', async () => {
  const { pretty, json } = await inBothFormats(CLEAN, ['build', '.', '--out', 'out']);
  const [bundle] = (JSON.parse(json.stdout) as Document).bundles ?? [];
  expect(pretty.stdout).toBe(
    `default/eng ${bundle?.digest} out/bundles/default/eng/${bundle?.digest.replace(':', '-')}\n`,
  );
});

test.each([
  ['clean specs', CLEAN, ['check', '.'], 0],
  ['an error', WITH_ERROR, ['check', '.'], 1],
  ['a warning', WITH_WARNING, ['check', '.'], 0],
  ['a warning that fails', WITH_WARNING, ['check', '.', '--fail-on', 'warning'], 1],
  ['a file without Lintel objects', { 'service.yaml': FOREIGN }, ['check', '.'], 2],
  ['an unreadable file', { ...CLEAN, 'deep.yaml': `${'['.repeat(2000)}` }, ['check', '.'], 3],
  ['a build', CLEAN, ['build', '.', '--out', 'out'], 0],
  ['a build of a field that is not supported', WITH_UNSUPPORTED, ['build', '.', '--out', 'out'], 1],
])(
  'lintel exits with the same code in every output format, both when it prints and when it writes a file: %s',
  async (_, files, args, code) => {
    for (const format of FORMATS) {
      await using folder = await temporaryFolder(files);
      const printed = await runLintel([...args, '--format', format], { cwd: folder.path });
      const file = ['--format', format, '--output', 'deep/report'];
      const written = await runLintel([...args, ...file], { cwd: folder.path });
      expect([printed.code, written.code], format).toEqual([code, code]);
    }
  },
);

test('a single `lintel check` command prints text on the terminal and also writes two reports to files', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const outputs = [
    '--format',
    'pretty',
    '--format',
    'sarif',
    '--output',
    'a.sarif',
    '--format',
    'junit',
    '--output',
    'b.xml',
  ];
  const { code, stdout, stderr } = await runLintel(['check', '.', ...outputs], { cwd: folder.path });
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toContain('error[LNT1011] not-in-enum');
  expect(JSON.parse(await readFile(folder.file('a.sarif'), 'utf8'))).toMatchObject({
    runs: [{ results: [{ ruleId: 'LNT1011', level: 'error' }] }],
  });
  expect(await readFile(folder.file('b.xml'), 'utf8')).toContain(
    '<testcase name="LNT1011_7_48" classname="gateway.yaml">',
  );
});

test('`lintel check` prints its summary on the terminal if all findings go to files', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const outputs = ['--format', 'json', '--output', 'report.json'];
  expect(await runLintel(['check', '.', ...outputs], { cwd: folder.path })).toEqual({
    code: 1,
    stdout: '',
    stderr: `1 error in 3 files (3 objects checked)
not checked because of these errors: 1 gateway as a whole; there may be more findings once the errors are fixed
`,
  });
});

test('`lintel build` lists bundles on standard output if findings go to files, and on standard error if a document is printed', async () => {
  await using folder = await temporaryFolder(CLEAN);
  const build = (...outputs: string[]) =>
    runLintel(['build', 'gateway.yaml', 'group.yaml', 'entry.yaml', '--out', 'out', ...outputs], {
      cwd: folder.path,
    });
  const files = await build('--format', 'json', '--output', 'report.json');
  expect(files.stdout).toMatch(/^default\/eng sha256:/);
  const { bundles } = JSON.parse(await readFile(folder.file('report.json'), 'utf8')) as Document;
  expect(bundles).toMatchObject([{ name: 'eng' }]);
  const printed = await build('--format', 'sarif');
  expect(JSON.parse(printed.stdout)).toMatchObject({ version: '2.1.0' });
  expect(printed.stderr).toBe(files.stdout);
});

test('`lintel check` prints the findings and exits with code 2 if an output file cannot be written', async () => {
  await using folder = await temporaryFolder({ ...WITH_ERROR, file: '' });
  const outputs = ['--format', 'compact', '--format', 'json', '--output', 'file/report.json'];
  const { code, stdout, stderr } = await runLintel(['check', '.', ...outputs], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stdout).toMatch(/^gateway\.yaml:7:48: error\[LNT1011\]: /);
  expect(stderr).toBe(
    'lintel: cannot write to file/report.json: file is a file, not a folder; give another path, or move it away\n',
  );
});

async function inBothFormats(
  files: { readonly [path: string]: string },
  args: readonly string[],
  prepare?: (folder: TemporaryFolder) => Promise<void>,
): Promise<{ readonly pretty: Outcome; readonly json: Outcome }> {
  const once = async (format: string) => {
    await using folder = await temporaryFolder(files);
    await prepare?.(folder);
    return await runLintel([...args, '--format', format], { cwd: folder.path });
  };
  return { pretty: await once('pretty'), json: await once('json') };
}
