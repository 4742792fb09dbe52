import { mkdir, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findFiles, loadProject } from '#compiler';
import { loadCatalog } from '../../../compiler/project/index.ts';
import { temporaryFolder } from '../../support/process.ts';

const LEADS_OUT = expect.objectContaining({ message: expect.stringContaining('the link leads out of the repository') });

async function repositoryWithLinks(isRepository = true) {
  const folder = await temporaryFolder({
    'secrets/key.yaml': 'password: swordfish\n',
    'secrets/lintel.yaml': 'password: swordfish\n',
    'other/.git': 'gitdir: elsewhere\n',
    'other/own.yaml': '{}\n',
    'repository/specs/own.yaml': '{}\n',
    'repository/parts/common.yaml': '{}\n',
  });
  if (isRepository) await mkdir(folder.file('repository/.git'));
  await symlink('../../secrets/key.yaml', folder.file('repository/specs/key.yaml'));
  await symlink('../../secrets', folder.file('repository/specs/folder'));
  await symlink('../../other', folder.file('repository/specs/other'));
  await symlink('../parts', folder.file('repository/specs/parts'));
  return folder;
}

test('lintel check follows links within the repository, and reports links that lead out of it', async () => {
  await using folder = await repositoryWithLinks();
  const { files, diagnostics } = findFiles(['specs'], { cwd: folder.file('repository') });
  expect(files.map(({ path }) => path)).toEqual(['specs/own.yaml', 'specs/parts/common.yaml']);
  expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ['LNT1018', 'specs/folder'],
    ['LNT1018', 'specs/key.yaml'],
    ['LNT1018', 'specs/other'],
  ]);
  expect(diagnostics).toEqual([LEADS_OUT, LEADS_OUT, LEADS_OUT]);
});

test.each(['specs/key.yaml', 'specs/folder', 'specs/folder/key.yaml', 'specs/other', 'specs/other/own.yaml'])(
  'lintel check does not read the argument %s behind a link out of the repository',
  async argument => {
    await using folder = await repositoryWithLinks();
    const found = findFiles([argument], { cwd: folder.file('repository') });
    expect(found).toEqual({ files: [], diagnostics: [LEADS_OUT] });
  },
);

test('lintel check follows every link if its files are in no repository', async () => {
  await using folder = await repositoryWithLinks(false);
  const { files, diagnostics } = findFiles(['specs/key.yaml'], { cwd: folder.file('repository') });
  expect([files.map(({ path }) => path), diagnostics]).toEqual([['specs/key.yaml'], []]);
});

test('lintel check reads no lintel.yaml, baseline or tool lock behind a link out of the repository', async () => {
  await using folder = await repositoryWithLinks();
  const cwd = folder.file('repository');
  await symlink('../secrets/key.yaml', folder.file('repository/lintel.lock.json'));
  expect(loadCatalog(folder.file('repository/lintel.lock.json'), cwd)?.diagnostics).toEqual([LEADS_OUT]);
  await symlink('../secrets/lintel.yaml', folder.file('repository/lintel.yaml'));
  expect(() => loadProject(undefined, cwd)).toThrow(expect.objectContaining({ diagnostics: [LEADS_OUT] }));
});
