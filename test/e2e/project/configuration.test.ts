/** The commands follow `lintel.yaml`, as real processes. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, run, start, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { CLEAN, WITH_UNSUPPORTED, WITH_WARNING } from '../specs.ts';

const inSpecs = (files: { readonly [path: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`specs/${path}`, text]));

test.each([
  ['sources of lintel.yaml', 'sources: [specs]', [], 0],
  ['failOn of lintel.yaml', 'sources: [specs]\nfailOn: warning', [], 1],
  ['--fail-on takes precedence over failOn', 'sources: [specs]\nfailOn: warning', ['--fail-on', 'error'], 0],
  ['a PATH takes precedence over sources', 'sources: [nope]', ['specs'], 0],
  ['profile of lintel.yaml', 'sources: [specs]\nprofile: strict@2026.1', [], 1],
  ['severity of lintel.yaml', 'sources: [specs]\nseverity: { field-ignored: off }\nfailOn: hint', [], 0],
  ['--no-config', 'failOn: warning', ['specs', '--no-config'], 0],
  ['--config with another file', 'failOn: warning', ['specs', '--config', 'specs/other.conf'], 0],
  ['--config with a missing file', '', ['specs', '--config', 'nope.yaml'], 2],
  ['no PATH and no sources', 'failOn: warning', [], 2],
])('`lintel check` uses lintel.yaml or its options: %s', async (_, text, args, code) => {
  await using folder = await temporaryFolder({ ...inSpecs(WITH_WARNING), 'lintel.yaml': text, 'specs/other.conf': '' });
  const outcome = await runLintel(['check', ...args], { cwd: folder.path });
  expect(outcome).toMatchObject({ code });
});

test('`lintel check` in a subfolder finds the sources of lintel.yaml, and shows paths relative to the subfolder', async () => {
  await using folder = await temporaryFolder({
    ...inSpecs(WITH_WARNING),
    'lintel.yaml': 'sources: [specs]',
    'a/b/c': '',
  });
  const { stdout } = await runLintel(['check', '--format', 'compact'], { cwd: folder.file('a/b') });
  expect(stdout).toMatch(/^\.\.\/\.\.\/specs\/gateway\.yaml:7:56: warning\[LNT1008\]: /);
});

test('`lintel check` reads objects of an API group that lintel.yaml accepts', async () => {
  const files = Object.entries(WITH_WARNING).map(([path, text]) => [
    path,
    text.replace('lintel.dev', 'mcp.example.com'),
  ]);
  await using folder = await temporaryFolder({
    ...inSpecs(Object.fromEntries(files)),
    'lintel.yaml': 'sources: [specs]\napiGroups: [mcp.example.com]\n',
  });
  const { stdout } = await runLintel(['check'], { cwd: folder.path });
  expect(stdout).toMatch(/\n1 warning in 3 files \(3 objects checked\)\nnot checked /);
  expect(await runLintel(['check', 'specs', '--no-config'], { cwd: folder.path })).toMatchObject({ code: 2 });
});

test.each([['check'], ['build', '--out', 'out'], ['serve'], ['dev'], ['baseline']])(
  '`lintel %s` prints the line of a mistake in lintel.yaml and exits with code 2',
  async (...args) => {
    await using folder = await temporaryFolder({
      ...inSpecs(CLEAN),
      'lintel.yaml': '# ours\nsources: [specs]\nprofil: strict@2026.1\nseverity:\n  LNT1003: off\n',
    });
    expect(await runLintel(args, { cwd: folder.path })).toEqual({
      code: 2,
      stdout: '',
      stderr: `error[LNT1003] unknown-field: unknown field "profil"; allowed here: sources, exclude, apiGroups, profile, severity, failOn, baseline, catalog, budgets, clients, documentation, denyPrivateBackends and 2 more
 --> lintel.yaml:3:1
  |
3 | profil: strict@2026.1
  | ^^^^^^
  = fix: did you mean "profile"?

lintel: nothing was checked: lintel.yaml has 1 error
`,
    });
  },
);

test('`lintel build` still fails for a field that it does not support if lintel.yaml sets the profile minimal', async () => {
  await using folder = await temporaryFolder({
    ...inSpecs(WITH_UNSUPPORTED),
    'lintel.yaml': 'sources: [specs]\nprofile: minimal@2026.1\n',
  });
  expect(await runLintel(['check'], { cwd: folder.path })).toMatchObject({ code: 1 });
  expect(await runLintel(['check', '--language-only'], { cwd: folder.path })).toMatchObject({ code: 0 });
  const { code, stdout } = await runLintel(['build', '--out', 'out', '--format', 'json'], {
    cwd: folder.path,
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    valid: false,
    summary: { error: 1 },
    diagnostics: [{ code: 'LNT1009', severity: 'error' }],
    bundles: [],
  });
});

test('`lintel build` makes and `lintel serve` serves a bundle with a warning that the profile strict makes an error', async () => {
  await using folder = await temporaryFolder({
    ...inSpecs(WITH_WARNING),
    'lintel.yaml': 'sources: [specs]\nprofile: strict@2026.1\n',
  });
  const built = await runLintel(['build', '--out', 'out'], { cwd: folder.path });
  expect(built.code).toBe(1);
  expect(built.stdout).toMatch(/^default\/eng sha256:/);
  await using lintel = start(PROGRAM.lintel, ['serve', ...FREE_PORTS], { cwd: folder.path });
  expect(await lintel.announcement<Announcement>()).toHaveProperty('url');
});

test('the editor schema of lintel.yaml accepts and refuses the same files as the commands', async () => {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  await using folder = await temporaryFolder();
  await run(PROGRAM.lintel, ['schema', 'json', '--out', '.'], { cwd: folder.path });
  const { readFile } = await import('node:fs/promises');
  const validate = new Ajv2020({ strict: true }).compile(
    JSON.parse(await readFile(folder.file('project.json'), 'utf8')),
  );
  expect(validate({ sources: ['specs'], profile: 'strict@2026.1', severity: { LNT3020: 'off' } })).toBe(true);
  for (const wrong of [
    { profil: 'strict' },
    { sources: [] },
    { severity: { LNT3020: 'of' } },
    { budgets: { tools: 0 } },
  ]) {
    expect(validate(wrong), JSON.stringify(wrong)).toBe(false);
  }
});

test('commands link to the documentation site that lintel.yaml names', async () => {
  await using folder = await temporaryFolder({
    ...inSpecs(WITH_WARNING),
    'lintel.yaml': 'sources: [specs]\ndocumentation: https://docs.example.com/lintel\n',
  });
  const page = 'https://docs.example.com/lintel/codes/LNT1008.html';
  const explained = await runLintel(['explain', 'LNT1008'], { cwd: folder.file('specs') });
  expect(explained.stdout).toContain(`\nPAGE:\n  ${page}\n`);
  const { stdout } = await runLintel(['check', '--format', 'sarif'], { cwd: folder.path });
  expect(JSON.parse(stdout).runs[0].tool.driver.rules).toMatchObject([{ id: 'LNT1008', helpUri: page }]);
});

test('`lintel explain` works without lintel.yaml, and with a lintel.yaml with mistakes', async () => {
  await using folder = await temporaryFolder({ 'lintel.yaml': 'documentation: docs\n', 'empty/.git/HEAD': '' });
  const texts = await Promise.all(
    ['.', 'empty'].map(cwd => runLintel(['explain', 'LNT1008'], { cwd: folder.file(cwd) })),
  );
  expect(texts[0]).toMatchObject({ code: 0, stderr: '' });
  expect(texts[0]).toEqual(texts[1]);
});
