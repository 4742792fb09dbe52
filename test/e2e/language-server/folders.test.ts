/** Folders that an editor opens and closes while the server runs. */
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { DidChangeWorkspaceFoldersNotification, HoverRequest } from 'vscode-languageserver-protocol/node';
import { Editor } from '../../support/editor.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, WITH_ERROR } from '../specs.ts';

const PROJECT = { 'lintel.yaml': 'sources: [specs]\n' };

function below(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

const project = (folder: string, files: Readonly<Record<string, string>>) =>
  below(folder, { ...PROJECT, ...below('specs', files) });

async function change(editor: Editor, world: TemporaryFolder, added: readonly string[], removed: readonly string[]) {
  const folders = (names: readonly string[]) =>
    names.map(name => ({ uri: pathToFileURL(world.file(name)).href, name }));
  await editor.connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, {
    event: { added: folders(added), removed: folders(removed) },
  });
}

const [BROKEN = ''] = Object.keys(WITH_ERROR).filter(name => name.includes('gateway'));

test('the language server checks a folder when it is opened, and removes the findings of the folder when it is closed', async () => {
  await using world = await temporaryFolder({ ...project('a', CLEAN), ...project('b', WITH_ERROR) });
  await using editor = await Editor.in(world.file('a'));
  expect(editor.initialized.capabilities.workspace?.workspaceFolders).toEqual({
    supported: true,
    changeNotifications: true,
  });
  await change(editor, world, ['b'], []);
  const file = `../b/specs/${BROKEN}`;
  const found = await editor.diagnostics(file, list => list.length > 0);
  expect(found.map(({ code }) => code)).toEqual(['LNT1011']);
  await change(editor, world, [], ['b']);
  expect(await editor.diagnostics(file, list => list.length === 0)).toEqual([]);
  // The folder is opened again.
  await change(editor, world, ['b'], []);
  expect(await editor.diagnostics(file, list => list.length > 0)).toEqual(found);
});

test('the language server still checks an open file after its folder was closed', async () => {
  await using world = await temporaryFolder({ ...project('a', CLEAN), ...project('b', WITH_ERROR) });
  await using editor = await Editor.in(world.file('a'));
  const file = `../b/specs/${BROKEN}`;
  await editor.open(file);
  await editor.diagnostics(file, list => list.length > 0);
  await change(editor, world, ['b'], []);
  await change(editor, world, [], ['b']);
  const hover = await editor.connection.sendRequest(HoverRequest.type, editor.at(file, 'kind|'));
  expect(hover).not.toBeNull();
  expect(await editor.diagnostics(file, list => list.length > 0)).not.toEqual([]);
});

test('the language server checks an open file together with all files of a folder without lintel.yaml once the folder is opened', async () => {
  const [group = '', ...others] = Object.keys(CLEAN).sort(
    (a, b) => Number(b.includes('group')) - Number(a.includes('group')),
  );
  const rest = Object.fromEntries(others.map(name => [`b/deep/${name}`, CLEAN[name] ?? '']));
  await using world = await temporaryFolder({ ...project('a', CLEAN), ...rest, [`b/${group}`]: CLEAN[group] ?? '' });
  await using editor = await Editor.in(world.file('a'));
  const gateway = '../b/deep/gateway.yaml';
  await editor.open(gateway);
  // On its own the folder has no group.
  const found = await editor.diagnostics(gateway, list => list.length > 0);
  expect(found.map(({ code }) => code)).toContain('LNT2001');
  await change(editor, world, ['b'], []);
  const now = await editor.diagnostics(gateway, list => list.every(({ code }) => code !== 'LNT2001'));
  expect(now.filter(({ severity }) => severity === 1)).toEqual([]);
});
