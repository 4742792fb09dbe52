/** The language server sends diagnostics for each change of the text in the editor; a real client receives them. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Diagnostic } from 'vscode-languageserver-protocol/node';
import { Editor } from '../../support/editor.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN, GROUP, gateway } from '../specs.ts';

const PROJECT = { 'lintel.yaml': 'sources: [specs]\n' };
const inSpecs = (files: { readonly [path: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`specs/${path}`, text]));

const isEmpty = (list: readonly unknown[]) => list.length === 0;
const holds = (code: string) => (list: readonly { readonly code?: unknown }[]) => list.some(one => one.code === code);

const NONE: Diagnostic = {
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
  message: 'none',
};

test('the language server reports a mistake while it is typed, and removes the finding after the correction', async () => {
  await using folder = await temporaryFolder({ ...PROJECT, ...inSpecs(CLEAN) });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/gateway.yaml');

  await editor.replace('specs/gateway.yaml', 'groupRef: { name: tools }', 'groupRef: { name: toolz }');
  const [found = NONE] = (await editor.diagnostics('specs/gateway.yaml', holds('LNT2001'))).filter(
    ({ code }) => code === 'LNT2001',
  );
  expect(found).toMatchObject({
    severity: 1,
    source: 'lintel',
    message: 'no MCPGroup named "toolz" in namespace "default"\nfix: did you mean "tools"?\n(unresolved-reference)',
  });
  const page = await readFile(fileURLToPath(found.codeDescription?.href ?? ''), 'utf8');
  expect(page).toContain('# LNT2001 ');
  expect(editor.held('specs/gateway.yaml', found.range)).toBe('toolz');

  await editor.replace('specs/gateway.yaml', 'toolz', 'tools');
  await editor.diagnostics('specs/gateway.yaml', list => !holds('LNT2001')(list));
  expect(await editor.shutdown()).toBe(0);
});

test('after a change in an open file, the language server also reports findings in files that are not open', async () => {
  await using folder = await temporaryFolder({ ...PROJECT, ...inSpecs(CLEAN) });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/group.yaml');
  await editor.replace('specs/group.yaml', 'name: tools', 'name: other');
  await editor.diagnostics('specs/gateway.yaml', holds('LNT2001'));
  await editor.diagnostics('specs/entry.yaml', holds('LNT2001'));
});

test('after an edit moves an object, a finding in another file that relates to the object shows its new line', async () => {
  await using folder = await temporaryFolder({ ...PROJECT, 'specs/a.yaml': GROUP, 'specs/b.yaml': GROUP });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/a.yaml');
  const lineOfFirst = (list: readonly Diagnostic[]) =>
    list.find(({ code }) => code === 'LNT2006')?.relatedInformation?.[0]?.location.range.start.line;
  const before = lineOfFirst(await editor.diagnostics('specs/b.yaml', holds('LNT2006'))) ?? Number.NaN;

  await editor.replace('specs/a.yaml', 'apiVersion', '# one\n# two\napiVersion');
  const moved = await editor.diagnostics('specs/b.yaml', list => lineOfFirst(list) !== before);
  expect(lineOfFirst(moved)).toBe(before + 2);
});

test('the language server counts positions in UTF-16 code units, also behind emoji and Windows line ends', async () => {
  const text = `# 🦊🦊\r\n${GROUP.replaceAll('\n', '\r\n')}spec: { description: "🦊", nope: 1 }\r\n`;
  await using folder = await temporaryFolder({ ...PROJECT, 'specs/group.yaml': text });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/group.yaml');
  const found = await editor.diagnostics('specs/group.yaml', holds('LNT1003'));
  const [unknown = NONE] = found.filter(({ code }) => code === 'LNT1003');
  expect(editor.held('specs/group.yaml', unknown.range)).toBe('nope');
  expect(unknown.range.start).toEqual({ line: 4, character: 27 });
});

// A reference to what an unreadable file may hold is no finding, so the two do not stand in one project.
test.each([
  [
    'unreadable files',
    {
      'syntax.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: [\n',
      'kind.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: MCPGruop\nmetadata: { name: a }\n',
    },
  ],
  [
    'wrong fields and references',
    {
      'field.yaml': `${GROUP}spec: { descripton: x }\n`,
      'reference.yaml': gateway('eng').replace('name: tools', 'name: tolls'),
    },
  ],
])('the language server reports the findings of `lintel check` for %s', async (_, files) => {
  await using folder = await temporaryFolder({ ...PROJECT, ...inSpecs(files) });
  const { stdout } = await runLintel(['check', '--format', 'json'], { cwd: folder.path });
  const command = JSON.parse(stdout).diagnostics as {
    code: string;
    range: { file: string; start: { line: number } };
  }[];
  await using editor = await Editor.in(folder.path);
  for (const file of Object.keys(inSpecs(files))) {
    const expected = command
      .filter(({ range }) => range.file === file)
      .map(({ code, range }) => `${code} in line ${range.start.line}`);
    expect(expected).not.toEqual([]);
    const found = await editor.diagnostics(file, list => list.length > 0);
    expect(found.map(({ code, range }) => `${code} in line ${range.start.line + 1}`)).toEqual(expected);
  }
});

test('the language server notices new, changed and deleted files and a changed configuration', async () => {
  await using folder = await temporaryFolder({ ...PROJECT, ...inSpecs(CLEAN) });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/gateway.yaml');
  await editor.replace('specs/gateway.yaml', 'name: tools', 'name: fresh');
  await editor.diagnostics('specs/gateway.yaml', holds('LNT2001'));
  expect(editor.registrations).toContain('workspace/didChangeWatchedFiles');

  await folder.write({ 'specs/fresh.yaml': GROUP.replace('tools', 'fresh') });
  await editor.filesChanged('specs/fresh.yaml');
  await editor.diagnostics('specs/gateway.yaml', list => !holds('LNT2001')(list));

  await folder.write({ 'lintel.yaml': 'sources: [specs]\nseverty: {}\n' });
  await editor.filesChanged('lintel.yaml');
  await editor.diagnostics('lintel.yaml', holds('LNT1003'));
  await folder.write(PROJECT);
  await editor.filesChanged('lintel.yaml');
  await editor.diagnostics('lintel.yaml', isEmpty);
});

test('the language server reports findings in an open file that was never saved', async () => {
  await using folder = await temporaryFolder({ ...PROJECT, ...inSpecs(CLEAN) });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/new.yaml', `${GROUP.replace('tools', 'fresh')}spec: { nope: 1 }\n`);
  await editor.diagnostics('specs/new.yaml', holds('LNT1003'));
});

test('the language server treats a folder without a configuration as a project when a file in it is opened', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'values.yaml': 'replicas: 3\n' });
  await using editor = await Editor.in(folder.path);
  await editor.open('entry.yaml');
  await editor.replace('entry.yaml', 'name: tools', 'name: tolls');
  await editor.diagnostics('entry.yaml', holds('LNT2001'));
});

test('the language server ends when its editor ends without a shutdown', async () => {
  await using folder = await temporaryFolder({ ...PROJECT, ...inSpecs(CLEAN) });
  const editor = await Editor.in(folder.path);
  // Waits for the process to exit.
  await editor[Symbol.asyncDispose]();
});
