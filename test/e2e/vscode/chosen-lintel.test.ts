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
  ['no setting and no lintel in the workspace', { folders: ['plain'] }, NONE],
  ['no open folder', { folders: [] }, NONE],
  ['a lintel in the workspace', { folders: ['own'] }, 'own/node_modules/lintel/dist/lintel.js'],
  [
    'a lintel in a parent folder of the workspace',
    { folders: ['mono/teams/a'] },
    'mono/node_modules/lintel/dist/lintel.js',
  ],
  [
    'a lintel in the second folder of the workspace',
    { folders: ['plain', 'own'] },
    'own/node_modules/lintel/dist/lintel.js',
  ],
  ['a lintel in a workspace that is not trusted', { folders: ['own'], isTrusted: false }, NONE],
  ['another package with the name lintel', { folders: ['other'] }, NONE],
  ['a relative path in the settings', { folders: ['own'], setting: 'bin/lintel' }, 'own/bin/lintel'],
  ['an absolute path in the settings', { folders: ['own'], setting: '/usr/bin/lintel' }, '/usr/bin/lintel'],
  [
    'a relative path in the settings of an untrusted workspace',
    { folders: ['own'], setting: './x', isTrusted: false },
    NONE,
  ],
  [
    'an absolute path in the settings without trust',
    { setting: '/usr/bin/lintel', isTrusted: false },
    '/usr/bin/lintel',
  ],
])(
  'the VS Code extension chooses the lintel program that it starts: %s',
  async (_, { folders = [], ...choice }, expected) => {
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
  },
);

test.each<[what: string, file: string, language: string, text: string, expected: boolean]>([
  ['an object of Lintel', 'a.yaml', 'yaml', 'kind: MCPGroup\napiVersion: lintel.dev/v1beta1\n', true],
  ['an object of ToolHive', 'a.yaml', 'yaml', 'apiVersion: toolhive.stacklok.dev/v1alpha1\n', true],
  ['an item of a list', 'a.yaml', 'yaml', 'items:\n  - apiVersion: lintel.dev/v1beta1\n', true],
  ['a quoted apiVersion', 'a.yaml', 'yaml', '"apiVersion": "lintel.dev/v1beta1"\n', true],
  ['JSON in one line', 'a.json', 'json', '{"apiVersion":"lintel.dev/v1beta1"}', true],
  ['a lintel.yaml', '/x/lintel.yaml', 'yaml', '', true],
  ['another object of Kubernetes', 'a.yaml', 'yaml', 'apiVersion: v1\nkind: ConfigMap\n', false],
  ['the API group only in a text', 'a.yaml', 'yaml', 'description: see lintel.dev/v1beta1\n', false],
  ['another language', 'a.md', 'markdown', 'apiVersion: lintel.dev/v1beta1\n', false],
])('the VS Code extension recognizes files that Lintel reads: %s (%s)', (_, file, language, text, expected) => {
  expect(isOurs(file, language, text)).toBe(expected);
});
