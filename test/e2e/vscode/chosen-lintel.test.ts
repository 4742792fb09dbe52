/** Which `lintel` the VS Code extension starts, and for which files. */
import { expect, test } from 'vitest';
import { type Choice, chooseLintel } from '../../../editors/vscode/chosen-lintel.ts';
import { isOurs } from '../../../editors/vscode/own-file.ts';
import { temporaryFolder } from '../../support/process.ts';

const PACKAGE = { 'package.json': '{ "version": "2.0.0" }', 'dist/lintel.js': '', 'dist/language-server.cjs': '' };
const at = (folder: string) =>
  Object.fromEntries(Object.entries(PACKAGE).map(([path, text]) => [`${folder}/${path}`, text]));

const FILES = {
  ...at('extension/server'),
  ...at('own/node_modules/lintel'),
  ...at('mono/node_modules/lintel'),
  'mono/teams/a/lintel.yaml': '',
  // Has the same name but no language server.
  'other/node_modules/lintel/dist/lintel.js': '',
  'plain/lintel.yaml': '',
};

const NONE = 'extension/server/dist/lintel.js';

test.each<[what: string, choice: Partial<Choice>, expected: string]>([
  ['nothing is set and the workspace brings none', { folders: ['plain'] }, NONE],
  ['there is no folder', { folders: [] }, NONE],
  ['the workspace brings one', { folders: ['own'] }, 'own/node_modules/lintel/dist/lintel.js'],
  ['a folder above brings one', { folders: ['mono/teams/a'] }, 'mono/node_modules/lintel/dist/lintel.js'],
  ['the second folder brings one', { folders: ['plain', 'own'] }, 'own/node_modules/lintel/dist/lintel.js'],
  ['the workspace is not trusted', { folders: ['own'], isTrusted: false }, NONE],
  ['another package has the name', { folders: ['other'] }, NONE],
  ['a path is set', { folders: ['own'], setting: 'bin/lintel' }, 'own/bin/lintel'],
  ['an absolute path is set', { folders: ['own'], setting: '/usr/bin/lintel' }, '/usr/bin/lintel'],
  [
    'a path of the workspace is set, which is not trusted',
    { folders: ['own'], setting: './x', isTrusted: false },
    NONE,
  ],
  ['an absolute path is set, and no trust', { setting: '/usr/bin/lintel', isTrusted: false }, '/usr/bin/lintel'],
])('%s', async (_, { folders = [], ...choice }, expected) => {
  await using folder = await temporaryFolder(FILES);
  const { program, isScript, version } = await chooseLintel({
    setting: '',
    isTrusted: true,
    extension: folder.file('extension'),
    ...choice,
    folders: folders.map(name => folder.file(name)),
  });
  expect(program).toBe(expected.startsWith('/') ? expected : folder.file(expected));
  expect(isScript).toBe(expected.endsWith('.js'));
  expect(version).toBe(isScript ? '2.0.0' : undefined);
});

test.each<[what: string, file: string, language: string, text: string, expected: boolean]>([
  ['an object of ours', 'a.yaml', 'yaml', 'kind: MCPGroup\napiVersion: lintel.dev/v1beta1\n', true],
  ["one of ToolHive's", 'a.yaml', 'yaml', 'apiVersion: toolhive.stacklok.dev/v1alpha1\n', true],
  ['an item of a list', 'a.yaml', 'yaml', 'items:\n  - apiVersion: lintel.dev/v1beta1\n', true],
  ['in quotes', 'a.yaml', 'yaml', '"apiVersion": "lintel.dev/v1beta1"\n', true],
  ['JSON in one line', 'a.json', 'json', '{"apiVersion":"lintel.dev/v1beta1"}', true],
  ['a configuration', '/x/lintel.yaml', 'yaml', '', true],
  ['another object of Kubernetes', 'a.yaml', 'yaml', 'apiVersion: v1\nkind: ConfigMap\n', false],
  ['only the name in a text', 'a.yaml', 'yaml', 'description: see lintel.dev/v1beta1\n', false],
  ['another language', 'a.md', 'markdown', 'apiVersion: lintel.dev/v1beta1\n', false],
])('%s: %s', (_, file, language, text, expected) => {
  expect(isOurs(file, language, text)).toBe(expected);
});
