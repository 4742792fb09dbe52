/** The settings of `lintel.yaml`, where it is found, and the findings about errors in it. */
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ConfigurationError, loadProject, UsageError } from '#compiler';
import { findSources } from '../../../compiler/project/index.ts';
import { temporaryFolder } from '../../support/process.ts';

/** The errors in a lintel.yaml, as `2:3 LNT1003 the message (the fix)`. */
async function mistakes(text: string | Uint8Array): Promise<readonly string[]> {
  await using folder = await temporaryFolder({ 'lintel.yaml': text as string });
  try {
    loadProject(undefined, folder.path);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.diagnostics.map(({ code, severity, range: { start }, message, fix }) => {
      expect(severity).toBe('error');
      return `${start.line}:${start.column} ${code} ${message}${fix === undefined ? '' : ` (${fix})`}`;
    });
  }
}

test.each<[string, string, readonly string[]]>([
  ['an empty file', '', []],
  ['a comment', '# later\n', []],
  [
    'an unknown key',
    'sorces: [specs]\n',
    [
      '1:1 LNT1003 unknown field "sorces"; allowed here: sources, exclude, apiGroups, profile, severity, failOn, baseline, catalog, budgets, clients, documentation, denyPrivateBackends and 2 more (did you mean "sources"?)',
    ],
  ],
  [
    'invalid settings for programs',
    'programs: { timeout: forever, memory: 10, network: localhost, env: [A=1], typescript: 7 }\n',
    [
      '1:22 LNT1012 expected a whole number of milliseconds, seconds or minutes, found the string "forever"',
      '1:39 LNT1013 expected 64 to 65536, found the integer 10',
      '1:52 LNT1004 expected true or false, found the string "localhost"',
      '1:69 LNT1012 expected a name of letters, digits and underscores, no digit first, found the string "A=1"',
      '1:75 LNT1003 unknown field "typescript"; allowed here: timeout, memory, network, env',
    ],
  ],
  [
    'privateBackends that are no hosts',
    'denyPrivateBackends: true\nprivateBackends: ["http://a", "10.0.0.0/8", "*", "a b"]\n',
    [19, 31, 45, 50].map(
      column => expect.stringMatching(new RegExp(`^2:${column} LNT1012 expected a host name, `)) as unknown as string,
    ),
  ],
  [
    'privateBackends that are hosts',
    'denyPrivateBackends: true\nprivateBackends: [a, "*.a.svc", 10.0.0.5, "fd00::1"]\n',
    [],
  ],
  [
    'privateBackends without denyPrivateBackends',
    'privateBackends: [tools.team.svc]\n',
    [
      '1:1 LNT1010 privateBackends has no effect: it makes exceptions to denyPrivateBackends, which is not true (set denyPrivateBackends to true, or remove privateBackends)',
    ],
  ],
  ...[
    'docs',
    'javascript:alert(1)',
    'https://docs.example.com/?page=',
    'https://docs.example.com/a b',
    'https://a)b',
  ].map((address): [string, string, readonly string[]] => [
    `documentation at ${address}`,
    `documentation: ${JSON.stringify(address)}\n`,
    [`1:16 LNT1012 expected a URL of http or https without a query, found the string ${JSON.stringify(address)}`],
  ]),
  ['a documentation URL with a port and a path', 'documentation: http://[::1]:8080/lintel-docs\n', []],
  ['a wrong type', 'sources: specs\n', ['1:10 LNT1004 expected a list, found a string']],
  ['an empty list of sources', 'sources: []\n', ['1:10 LNT1013 expected at least 1 item, found 0']],
  ['a list instead of a mapping', '- sources\n', ['1:1 LNT1004 expected an object, found a list of 1 item']],
  [
    'invalid YAML',
    'sources: [',
    ['1:11 LNT1001 flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  ['a duplicate key', 'failOn: error\nfailOn: hint\n', ['2:1 LNT1002 the key "failOn" is in this mapping twice']],
  [
    'two documents',
    'failOn: error\n---\nfailOn: hint\n',
    ['3:1 LNT1004 the file has more than one document; only one is expected'],
  ],
  [
    'an unknown profile',
    'profile: recomended\n',
    ['1:10 LNT1011 there is no profile "recomended", only minimal, recommended, strict (did you mean "recommended"?)'],
  ],
  [
    'an unknown version of a profile',
    'profile: strict@2030.1\n',
    [
      '1:10 LNT1011 this version of Lintel does not know profiles of version "2030.1", only 2026.1 (did you mean "strict@2026.1"?)',
    ],
  ],
  [
    'an unknown severity',
    'severity: { LNT3020: wrning }\n',
    [
      '1:22 LNT1011 expected one of "error", "warning", "hint", "off", found the string "wrning" (did you mean "warning"?)',
    ],
  ],
  [
    'unknown codes',
    'severity:\n  LNT3999: off\n  keyword-serch-only: off\n',
    [
      '2:3 LNT1011 there is no code "LNT3999"',
      '3:3 LNT1011 there is no code "keyword-serch-only" (did you mean "keyword-search-only"?)',
    ],
  ],
  [
    'a code twice, by number and by name',
    'severity:\n  LNT3020: off\n  keyword-search-only: hint\n',
    ['3:3 LNT1015 LNT3020 stands here twice, by its number and its name'],
  ],
  [
    'a lower severity for a code whose severity is fixed',
    'severity:\n  LNT1003: warning\n  LNT2001: off\n  LNT1018: hint\n  LNT1033: off\n',
    [
      '2:12 LNT1034 LNT1003 unknown-field cannot be less than error: the API server refuses the object, or drops what it says (remove this line)',
      '3:12 LNT1034 LNT2001 unresolved-reference cannot be less than error: the file has no single meaning, so nothing can be built from it (remove this line)',
      '4:12 LNT1034 LNT1018 unreadable-input cannot be less than error: it says that something was not checked (remove this line)',
      '5:12 LNT1034 LNT1033 unused-suppression cannot be less than warning: it checks the suppressions and baselines themselves (remove this line)',
    ],
  ],
  ['a higher severity for a code whose severity is fixed', 'severity: { LNT1033: error, LNT1003: error }\n', []],
  ['an invalid API group', 'apiGroups: [Example]\n', [expect.stringContaining('1:13 LNT1012 ') as unknown as string]],
  ['a budget of zero', 'budgets: { tools: 0 }\n', ['1:19 LNT1013 expected at least 1, found the integer 0']],
  [
    'an unknown client',
    'clients: [curser]\n',
    ['1:11 LNT1011 the limits of the client "curser" are not known (did you mean "cursor"?)'],
  ],
  ['a client twice', 'clients: [cursor, cursor]\n', [expect.stringContaining('1:19 LNT1015 ') as unknown as string]],
])('lintel check gives the expected findings for a lintel.yaml with %s', async (_, text, expected) => {
  expect(await mistakes(text)).toEqual(expected);
});

test('lintel check reads every key of lintel.yaml', async () => {
  await using folder = await temporaryFolder({
    'conf/lintel.yaml': `sources: [../specs, "../more/*.yaml"]
exclude: ["**/generated"]
apiGroups: [mcp.example.com]
profile: strict@2026.1
severity: { LNT3020: off, no-authorization: warning }
failOn: warning
baseline: known.json
catalog: ../tools.json
budgets: { tools: 40, tokens: 8000 }
clients: [cursor, claude-code]
denyPrivateBackends: true
privateBackends: ["*.team.svc"]
programs: { timeout: 2m, memory: 2048, network: true, env: [STAGE] }
`,
  });
  const { texts, ...project } = loadProject('conf/lintel.yaml', folder.path);
  expect(project).toEqual({
    file: 'conf/lintel.yaml',
    folder: folder.file('conf'),
    sources: ['../specs', '../more/*.yaml'],
    exclude: ['**/generated'],
    apiGroups: ['mcp.example.com'],
    profile: { name: 'strict', version: '2026.1' },
    severity: new Map([
      ['LNT3020', 'off'],
      ['LNT4005', 'warning'],
    ]),
    failOn: 'warning',
    baselineFile: 'conf/known.json',
    baseline: undefined,
    catalogFile: 'tools.json',
    isCatalogNamed: true,
    budgets: { tools: 40, tokens: 8000 },
    clients: ['cursor', 'claude-code'],
    denial: { except: ['*.team.svc'] },
    programs: { timeout: '2m', memory: 2048, network: true, env: ['STAGE'] },
    diagnostics: [],
  });
  expect(texts.map(({ file }) => file)).toEqual(['conf/lintel.yaml']);
});

test('every key of lintel.yaml has a default if there is no lintel.yaml', async () => {
  await using folder = await temporaryFolder({ '.git/HEAD': '' });
  expect(loadProject(undefined, folder.path)).toMatchObject({
    file: undefined,
    sources: undefined,
    profile: { name: 'recommended', version: '2026.1' },
    failOn: 'error',
    baselineFile: 'lintel-baseline.json',
    catalogFile: 'lintel.lock.json',
    diagnostics: [],
  });
});

test('a profile without a version gives a hint with the version to write', async () => {
  await using folder = await temporaryFolder({ 'lintel.yaml': 'profile: strict\n' });
  const { diagnostics, profile } = loadProject(undefined, folder.path);
  expect(profile).toEqual({ name: 'strict', version: '2026.1' });
  expect(diagnostics).toMatchObject([{ code: 'LNT1036', severity: 'hint', fix: 'profile: strict@2026.1' }]);
});

test('lintel check uses the nearest lintel.yaml at or above the working directory, up to the root of the repository', async () => {
  await using folder = await temporaryFolder({
    'lintel.yaml': 'failOn: hint\n',
    'repo/.git/HEAD': '',
    'repo/team/lintel.yaml': 'failOn: warning\n',
    'repo/team/specs/a.yaml': '',
    'repo/other/a.yaml': '',
  });
  const found = (path: string) => loadProject(undefined, folder.file(path)).file;
  expect(found('repo/team/specs')).toBe('../lintel.yaml');
  expect(found('repo/team')).toBe('lintel.yaml');
  expect(found('repo/other')).toBeUndefined();
  expect(found('repo')).toBeUndefined();
  expect(found('')).toBe('lintel.yaml');
  await folder.write({ 'repo/lintel.yaml': '' });
  expect(found('repo/other')).toBe('../lintel.yaml');
  expect(loadProject(false, folder.file('repo/team')).file).toBeUndefined();
  expect(loadProject('../lintel.yaml', folder.file('repo/team')).file).toBe('../lintel.yaml');
  expect(loadProject(folder.file('lintel.yaml'), folder.file('repo')).file).toBe(folder.file('lintel.yaml'));
});

test('lintel check uses the nearest lintel.yaml at or above its path arguments, whatever the working directory is', async () => {
  await using folder = await temporaryFolder({
    'lintel.yaml': '',
    'team/lintel.yaml': '',
    'team/specs/a.yaml': '',
    'other/a.yaml': '',
    'bare/.git/HEAD': '',
    'bare/a.yaml': '',
  });
  const found = (cwd: string, ...paths: string[]) => loadProject(undefined, folder.file(cwd), paths).file;
  expect(found('', 'team/specs/a.yaml')).toBe('team/lintel.yaml');
  expect(found('', 'team/specs', 'team')).toBe('team/lintel.yaml');
  expect(found('other', '../team')).toBe('../team/lintel.yaml');
  expect(found('', 'other')).toBe('lintel.yaml');
  expect(found('', '.')).toBe('lintel.yaml');
  // A folder without its own file uses that of the working directory: rendered specs in a temporary folder.
  expect(found('team', '../bare')).toBe('lintel.yaml');
  expect(found('team', '-')).toBe('lintel.yaml');
  expect(found('team', '../nope/nope.yaml')).toBe('../lintel.yaml');
  expect(() => found('', 'team', 'other')).toThrow(
    new UsageError(
      'two files decide: team/lintel.yaml of team and lintel.yaml of other; give these paths one by one, or name a file with --config',
    ),
  );
  expect(loadProject(false, folder.path, ['team']).file).toBeUndefined();
  expect(loadProject('lintel.yaml', folder.path, ['team']).file).toBe('lintel.yaml');
});

test('lintel check refuses a lintel.yml and a missing --config file', async () => {
  await using folder = await temporaryFolder({ 'lintel.yml': '' });
  expect(() => loadProject(undefined, folder.path)).toThrow(
    new UsageError(`${folder.file('lintel.yml')} is not read: rename it to lintel.yaml, or name it with --config`),
  );
  expect(loadProject('lintel.yml', folder.path).file).toBe('lintel.yml');
  expect(loadProject(false, folder.path).file).toBeUndefined();
  expect(() => loadProject('nope.yaml', folder.path)).toThrow(new UsageError('no such configuration file: nope.yaml'));
});

test('an unreadable lintel.yaml and an invalid baseline are errors', async () => {
  await using folder = await temporaryFolder({ 'a/lintel-baseline.json': '{"formatVersion": 2}', 'b.yaml': 'a: \0' });
  await mkdir(folder.file('c/lintel.yaml'), { recursive: true });
  const codesOf = (config: string | undefined, path: string) => {
    try {
      loadProject(config, folder.file(path));
      return [];
    } catch (error) {
      return (error as ConfigurationError).diagnostics.map(({ code, file }) => `${file} ${code}`);
    }
  };
  expect(codesOf(undefined, 'a')).toEqual(['lintel-baseline.json LNT1011', 'lintel-baseline.json LNT1010']);
  expect(codesOf('b.yaml', '')).toEqual(['b.yaml LNT1018']);
  expect(codesOf(undefined, 'c')).toEqual(['lintel.yaml LNT1018']);
});

/** Rows of: lintel.yaml, PATH arguments, files found; the working directory is `team`. */
test.each<[string, readonly string[], readonly string[]]>([
  ['sources: [specs]', [], ['specs/a.yaml', 'specs/generated/g.yaml', 'specs/sub/b.yml']],
  ['sources: ["specs/*.yaml"]', [], ['specs/a.yaml']],
  ['sources: ["specs/**"]\nexclude: ["**/generated"]', [], ['specs/a.yaml', 'specs/sub/b.yml']],
  [
    'sources: [specs, ../common]\nexclude: [specs/sub]',
    [],
    ['../common/s.yaml', 'specs/a.yaml', 'specs/generated/g.yaml'],
  ],
  ['sources: [.]', [], ['specs/a.yaml', 'specs/generated/g.yaml', 'specs/sub/b.yml']],
  ['sources: [specs]\nexclude: [specs/a.yaml]', ['specs'], ['specs/generated/g.yaml', 'specs/sub/b.yml']],
  ['exclude: [specs/a.yaml]', ['specs/a.yaml'], ['specs/a.yaml']],
  ['', ['.'], ['specs/a.yaml', 'specs/generated/g.yaml', 'specs/sub/b.yml']],
  ['', ['lintel.yaml'], ['lintel.yaml']],
  ['', ['-'], ['<stdin>']],
])('lintel check with the lintel.yaml %j and the paths %j reads the expected files', async (text, paths, expected) => {
  await using folder = await temporaryFolder({
    'team/lintel.yaml': text,
    'team/lintel.lock.json': '{}',
    'team/specs/a.yaml': '',
    'team/specs/sub/b.yml': '',
    'team/specs/generated/g.yaml': '',
    'common/s.yaml': '',
  });
  const cwd = folder.file('team');
  const { files } = findSources(paths, loadProject(undefined, cwd), cwd);
  expect(files.map(({ path }) => path)).toEqual(expected);
});

test.each([
  ['sources: [nope]', 'lintel.yaml:1:11: no such file or folder: "nope" of sources'],
  ['sources:\n  - specs\n  - spec', 'lintel.yaml:3:5: no such file or folder: "spec" of sources; did you mean specs?'],
  [
    'sources: ["spec/**/*.yaml"]',
    'lintel.yaml:1:11: no such file or folder: "spec/**/*.yaml" of sources; did you mean specs?',
  ],
  ['sources: [spec/sub]', 'lintel.yaml:1:11: no such file or folder: "spec/sub" of sources; did you mean specs?'],
  [
    'sources: [specs/b.yaml]',
    'lintel.yaml:1:11: no such file or folder: "specs/b.yaml" of sources; did you mean specs/a.yaml?',
  ],
  ['sources: ["specs/*.yml"]', 'lintel.yaml:1:11: no .yaml, .yml or .json file is matched by "specs/*.yml" of sources'],
  [
    'failOn: hint',
    'no PATH is given, and lintel.yaml names no sources: give files or folders, or list "sources" in lintel.yaml',
  ],
])('lintel check refuses a lintel.yaml with %s, because one path in it matches no file', async (text, message) => {
  await using folder = await temporaryFolder({ 'lintel.yaml': text, 'specs/a.yaml': '' });
  expect(() => findSources([], loadProject(undefined, folder.path), folder.path)).toThrow(new UsageError(message));
});
