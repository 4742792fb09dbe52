/** An untrusted folder: whatever its files and links name, the compiler reads nothing outside it and does not reveal whether it exists. */
import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ConfigurationError, compileSources, loadProject, SourceText } from '#compiler';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const GROUP = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: eng }\n';
const SECRET = 'the secret of somebody else';

interface Case {
  readonly files: { readonly [path: string]: string };
  readonly links?: { readonly [path: string]: string };
  readonly path?: string;
  readonly says: string;
}

const OUT = 'the link leads out of the source folder';
const OUTSIDE = 'it is outside of the source folder';

const CASES: { readonly [name: string]: Case } = {
  'a path above the folder': { files: {}, path: '..', says: OUTSIDE },
  'a missing path next to the folder': { files: {}, path: '../no-such', says: OUTSIDE },
  'a link to a folder outside': { files: {}, links: { 'tree/specs': '../outside' }, path: 'specs', says: OUT },
  'a path behind a link': { files: {}, links: { 'tree/specs': '../outside' }, path: 'specs/gone.yaml', says: OUT },
  'a link to a file outside': { files: {}, links: { 'tree/a.yaml': '../outside/group.yaml' }, says: OUT },
  'a link to a project file outside': { files: {}, links: { 'tree/lintel.yaml': '../outside/lintel.yaml' }, says: OUT },
  'a baseline outside': {
    files: { 'tree/lintel.yaml': 'baseline: ../outside/baseline.json\n' },
    says: OUTSIDE,
  },
  'a missing baseline outside': {
    files: { 'tree/lintel.yaml': 'baseline: /no/such/baseline.json\n' },
    says: OUTSIDE,
  },
  'a link to a baseline outside': {
    files: {},
    links: { 'tree/lintel-baseline.json': '../outside/baseline.json' },
    says: OUT,
  },
  'a tool lock outside': { files: { 'tree/lintel.yaml': 'catalog: ../outside/lock.json\n' }, says: OUTSIDE },
  'a link to a tool lock outside': { files: {}, links: { 'tree/lintel.lock.json': '../outside/lock.json' }, says: OUT },
};

async function checkout({ files, links = {} }: Case): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await folder.write({
    'tree/group.yaml': GROUP,
    'outside/group.yaml': GROUP.replace('eng', 'other'),
    'outside/lintel.yaml': `nonsense: ${SECRET}\n`,
    'outside/baseline.json': `"${SECRET}"`,
    'outside/lock.json': `"${SECRET}"`,
    ...files,
  });
  for (const [path, target] of Object.entries(links)) await symlink(target, folder.file(path));
  return folder;
}

function found(folder: TemporaryFolder, path: string) {
  const cwd = folder.file('tree');
  try {
    const project = loadProject(undefined, cwd, [path], cwd);
    const options = { cwd, purpose: 'build', sourceRevision: null, confinedTo: cwd } as const;
    const { compilation } = compileSources([path], project, options);
    expect(compilation.checked.complete).toBe(false);
    return compilation.findings.diagnostics;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.diagnostics;
  }
}

test.each(Object.entries(CASES))(
  'a compilation confined to a folder, as in the controller, refuses %s',
  async (_, one) => {
    await using folder = await checkout(one);
    const diagnostics = found(folder, one.path ?? '.');
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n')).toContain(one.says);
    expect(JSON.stringify(diagnostics)).not.toContain(SECRET);
  },
);

test('a compilation confined to a folder looks for no project file and no tool lock above the folder', async () => {
  await using folder = await temporaryFolder();
  const bad = 'nonsense: true\n';
  await folder.write({ 'lintel.yaml': bad, 'lintel.lock.json': bad, '.git/HEAD': '', 'tree/specs/group.yaml': GROUP });
  const cwd = folder.file('tree');
  const project = loadProject(undefined, cwd, ['specs'], cwd);
  expect(project.file).toBeUndefined();
  const options = { cwd, purpose: 'build', sourceRevision: null, confinedTo: cwd } as const;
  expect(compileSources(['specs'], project, options).compilation.findings.counts.error).toBe(0);
});

test('a compilation confined to a folder does not look whether a file that the baseline names exists outside of the folder', async () => {
  await using folder = await temporaryFolder();
  const entry = (file: string) => ({ file, object: '', code: 'LNT1018', field: '', count: 1 });
  const findings = [entry('../outside/here.yaml'), entry('../outside/gone.yaml')];
  const baseline = JSON.stringify({ formatVersion: 1, findings });
  await folder.write({ 'outside/here.yaml': '', 'tree/lintel-baseline.json': baseline });
  const cwd = folder.file('tree');
  expect([...(loadProject(undefined, cwd, ['.'], cwd).baseline?.gone ?? [])]).toEqual(findings.map(({ file }) => file));
});

test('a compilation that gets objects of the cluster uses an object of the cluster if the spec files do not contain this object', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'specs/group.yaml': GROUP });
  const cwd = folder.path;
  const beside = ['eng', 'ops'].map(
    name => new SourceText(`cluster:MCPGroup/here/${name}`, GROUP.replace('eng', `${name}, namespace: here`)),
  );
  const project = loadProject(undefined, cwd, ['specs'], cwd);
  const { compilation } = compileSources(['specs'], project, {
    ...{
      cwd,
      purpose: 'build',
      sourceRevision: null,
      confinedTo: cwd,
      defaultNamespace: 'here',
      additionalTexts: beside,
    },
  });
  expect(compilation.objects.map(({ doc, namespace, name }) => [doc.file, namespace, name])).toEqual([
    ['specs/group.yaml', 'here', 'eng'],
    ['cluster:MCPGroup/here/ops', 'here', 'ops'],
  ]);
});
