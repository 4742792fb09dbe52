/** What an editor shows for a position, and where its links go. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DefinitionRequest,
  HoverRequest,
  type Location,
  type MarkupContent,
} from 'vscode-languageserver-protocol/node';
import { Editor } from '../../support/editor.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, GROUP, gateway } from '../specs.ts';

const FILES = {
  'lintel.yaml': 'sources: [specs]\nprofile: recommended@2026.1\n',
  'specs/all.yaml': Object.values(CLEAN).join('---\n'),
  'specs/broken.yaml': `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: broken }
spec:
  groupRef: { name: tools }
  config:
    optimizer: {}
    aggregation: { conflictResolution: prefics }
  nope: {{{
`,
};

const HOVERS = [
  ['a field', 'specs/all.yaml', 'incoming|Auth:', /^\*\*VirtualMCPServer\.spec\.incomingAuth\*\*/],
  ['a value', 'specs/all.yaml', 'remoteUrl: "https://git|hub', /^\*\*MCPServerEntry\.spec\.remoteUrl\*\*/],
  ['a kind', 'specs/all.yaml', 'ki|nd: VirtualMCPServer', /What sort of object it is/],
  ['a field of a document with errors', 'specs/broken.yaml', 'opti|mizer', /VirtualMCPServer\.spec\.config\.optimizer/],
  ['the configuration', 'lintel.yaml', 'prof|ile', /^\*\*lintel\.yaml\.profile\*\*/],
  ['a field that is required', 'specs/all.yaml', 'remo|teUrl: "https://git', /^- required: `yes`$/m],
  ['a field that is optional', 'lintel.yaml', 'prof|ile', /^(?![\s\S]*required)/],
] as const;

async function hoverText(editor: Editor, file: string, marked: string): Promise<string> {
  const hover = await editor.connection.sendRequest(HoverRequest.type, editor.at(file, marked));
  return (hover?.contents as MarkupContent | undefined)?.value ?? 'nothing';
}

describe('in a folder that no test changes', () => {
  let folder: TemporaryFolder;
  let editor: Editor;
  beforeAll(async () => {
    folder = await temporaryFolder({ ...FILES, 'specs/comment.yaml': '# Only this.\n' });
    editor = await Editor.in(folder.path);
    for (const file of ['lintel.yaml', 'specs/all.yaml', 'specs/broken.yaml', 'specs/comment.yaml'])
      await editor.open(file);
  });
  afterAll(async () => {
    await editor[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each(HOVERS)(
    'a hover on %s shows its description, with a link to its page',
    async (_, file, marked, expected) => {
      const value = await hoverText(editor, file, marked);
      expect(value).toMatch(expected);
      expect(value).toMatch(/\[More about .*\]\(file:\S+\.md(?:#\w+)?\)$/);
    },
  );

  test('a hover on a comment shows nothing', async () => {
    const asked = editor.at('specs/comment.yaml', '# On|ly');
    expect(await editor.connection.sendRequest(HoverRequest.type, asked)).toBeNull();
  });
});

test('links in a hover lead to the documentation site that lintel.yaml names', async () => {
  await using folder = await temporaryFolder({
    ...FILES,
    'lintel.yaml': `${FILES['lintel.yaml']}documentation: https://docs.example.com/lintel\n`,
  });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/all.yaml');
  const field = await hoverText(editor, 'specs/all.yaml', 'remoteUrl: "https://git|hub');
  expect(field).toContain('(https://docs.example.com/lintel/fields/MCPServerEntry.spec.remoteUrl.html)');
  await editor.open('specs/broken.yaml');
  const [found] = await editor.diagnostics('specs/broken.yaml', list => list.length > 0);
  expect(found?.codeDescription?.href).toBe(`https://docs.example.com/lintel/codes/${found?.code}.html`);
});

test('a hover on a finding shows the description of its code', async () => {
  await using folder = await temporaryFolder(FILES);
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/all.yaml');
  await editor.replace('specs/all.yaml', 'transport: streamable-http', 'transport: streamable');
  const value = await hoverText(editor, 'specs/all.yaml', 'transport: stream|able');
  expect(value).toMatch(/^\*\*LNT1011\*\* not-in-enum/);
  expect(value).toContain('**MCPServerEntry.spec.transport**');
});

test('the language server leads from a reference to the object that it names, in any file', async () => {
  await using folder = await temporaryFolder({
    'lintel.yaml': 'sources: [specs]\n',
    'specs/group.yaml': GROUP,
    'specs/gateway.yaml': gateway('eng'),
  });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/gateway.yaml');
  await editor.open('specs/group.yaml');
  const found = (await editor.connection.sendRequest(
    DefinitionRequest.type,
    editor.at('specs/gateway.yaml', 'groupRef: { name: to|ols }'),
  )) as Location[];
  expect(found.map(({ uri, range }) => [uri, editor.held('specs/group.yaml', range)])).toEqual([
    [editor.uri('specs/group.yaml'), 'tools'],
  ]);
  expect(
    await editor.connection.sendRequest(DefinitionRequest.type, editor.at('specs/gateway.yaml', 'kind: Virtu|al')),
  ).toBeNull();
});
