/** What the language server answers when a real client requests completion, references, a rename or quick fixes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type CodeAction,
  CodeActionRequest,
  type CompletionItem,
  CompletionRequest,
  type Location,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  type TextEdit,
} from 'vscode-languageserver-protocol/node';
import { Editor, offsetIn } from '../../support/editor.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { ENTRY, GROUP } from '../specs.ts';

const GATEWAY = `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth:
    type: anonymous
    authzConfig:
      type: inline
      inline:
        policies:
          - permit(principal, action == Action::"call_tool", resource == Tool::"github_search");
  config:
    aggregation:
      tools:
        - workload: github
          filter: [search]
    compositeTools:
      - name: report
        description: Reports
        parameters: { type: object, properties: { topic: { type: string } } }
        steps:
          - { id: find, tool: github.search, arguments: { query: "{{.params.topic}}" } }
          - { id: post, tool: github.open, dependsOn: [find] }
`;

const FILES = {
  'lintel.yaml': 'sources: [specs]\n',
  'specs/gateway.yaml': GATEWAY,
  'specs/group.yaml': GROUP,
  'specs/entry.yaml': ENTRY,
};

async function world() {
  const folder = await temporaryFolder(FILES);
  const editor = await Editor.in(folder.path);
  for (const file of ['specs/gateway.yaml', 'specs/group.yaml', 'specs/entry.yaml']) await editor.open(file);
  return {
    folder,
    editor,
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function completions(editor: Editor, file: string, marked: string): Promise<readonly string[]> {
  const items = (await editor.connection.sendRequest(
    CompletionRequest.type,
    editor.at(file, marked),
  )) as CompletionItem[];
  return items.map(({ textEdit, label }) => textEdit?.newText ?? label);
}

const COMPLETIONS = [
  ['a field', '  config:\n', '  outg\n  config:\n', '  outg|\n', ['outgoingAuth: ']],
  ['a field in braces', 'groupRef: { name: tools }', 'groupRef: { na }', '{ na| }', ['name: ']],
  ['a field of an item', '- workload: github', '- work\n        - workload: github', '- work|\n', ['workload: ']],
  ['a value of an enum', 'type: anonymous', 'type: ano', 'type: ano|', ['anonymous']],
  ['the name of an object', '{ name: tools }', '{ name: to }', '{ name: to|', ['tools']],
  ['a kind', 'kind: VirtualMCPServer', 'kind: Virt', 'kind: Virt|', ['VirtualMCPServer']],
  ['a step', 'dependsOn: [find]', 'dependsOn: [f]', 'dependsOn: [f|', ['find']],
  ['a parameter in a template', '{{.params.topic}}', '{{.par}}', '{{.par|', ['.params.topic']],
  ['an action in a policy', 'Action::"call_tool"', 'Action::"ca"', 'Action::"ca|', ['call_tool']],
] as const;

test.each(COMPLETIONS)('the language server completes %s', async (_, found, by, marked, expected) => {
  await using place = await world();
  await place.editor.replace('specs/gateway.yaml', found, by);
  const offered = await completions(place.editor, 'specs/gateway.yaml', marked);
  expect(offered).toEqual(expect.arrayContaining([...expected]));
});

test('the language server does not offer a field that the object already has', async () => {
  await using place = await world();
  await place.editor.replace('specs/gateway.yaml', '  config:\n', '  gro\n  config:\n');
  expect(await completions(place.editor, 'specs/gateway.yaml', '  gro|\n')).not.toContain('groupRef: ');
});

test('the language server finds the references to an object in all files, and a rename changes each reference', async () => {
  await using place = await world();
  const { editor } = place;
  const at = editor.at('specs/group.yaml', 'name: to|ols');
  const found = (await editor.connection.sendRequest(ReferencesRequest.type, {
    ...at,
    context: { includeDeclaration: true },
  })) as Location[];
  expect(found.map(({ uri }) => uri).toSorted()).toEqual(
    ['entry', 'gateway', 'group'].map(name => editor.uri(`specs/${name}.yaml`)),
  );
  expect(await editor.connection.sendRequest(PrepareRenameRequest.type, at)).not.toBeNull();
  const edit = await editor.connection.sendRequest(RenameRequest.type, { ...at, newName: 'all' });
  const texts = Object.entries(edit?.changes ?? {}).map(([uri, edits]) => {
    const file = Object.keys(FILES).find(name => editor.uri(name) === uri) ?? '';
    return applied(editor.text(file), edits);
  });
  expect(texts).toHaveLength(3);
  for (const text of texts) expect(text).toMatch(/name: all\b/);
  for (const text of texts) expect(text).not.toMatch(/name: tools\b/);
});

test('a rename of a backend in the language server changes the tool settings and workflow steps that name the backend', async () => {
  await using place = await world();
  const { editor } = place;
  const edit = await editor.connection.sendRequest(RenameRequest.type, {
    ...editor.at('specs/entry.yaml', 'name: git|hub'),
    newName: 'forge',
  });
  const text = applied(editor.text('specs/gateway.yaml'), edit?.changes?.[editor.uri('specs/gateway.yaml')] ?? []);
  expect(text).toContain('workload: forge');
  expect(text).toContain('tool: forge.search');
  expect(text).toContain('tool: forge.open');
});

test.each([
  ['that is not valid', 'No Name', 'is not a valid name of an object'],
  ['that another object has', 'tools', 'already'],
])('the language server refuses a rename to a name %s', async (_, newName, expected) => {
  await using place = await world();
  const at = place.editor.at('specs/group.yaml', 'name: to|ols');
  await expect(place.editor.connection.sendRequest(RenameRequest.type, { ...at, newName })).rejects.toThrow(expected);
});

test('a quick fix replaces a misspelt word by the nearest valid word and keeps its quotes', async () => {
  await using place = await world();
  const { editor } = place;
  await editor.replace('specs/gateway.yaml', 'groupRef: { name: tools }', 'groupRef: { name: "toolz" }');
  const { position } = editor.at('specs/gateway.yaml', 'name: "too|lz"');
  const actions = (await editor.connection.sendRequest(CodeActionRequest.type, {
    textDocument: { uri: editor.uri('specs/gateway.yaml') },
    range: { start: position, end: position },
    context: { diagnostics: [] },
  })) as CodeAction[];
  const [fix] = actions.filter(({ kind }) => kind === 'quickfix');
  expect(fix?.title).toBe('Change to tools');
  const edits = fix?.edit?.changes?.[editor.uri('specs/gateway.yaml')] ?? [];
  expect(applied(editor.text('specs/gateway.yaml'), edits)).toContain('groupRef: { name: "tools" }');
});

function applied(text: string, edits: readonly TextEdit[]): string {
  const ordered = edits.toSorted((a, b) => offsetIn(text, b.range.start) - offsetIn(text, a.range.start));
  return ordered.reduce(
    (now, { range, newText }) =>
      now.slice(0, offsetIn(text, range.start)) + newText + now.slice(offsetIn(text, range.end)),
    text,
  );
}

test('the language server completes tool names from the tool lock in policies, filters and steps, even in a text with mistakes', async () => {
  const source = 'examples/policies';
  const [specs, lock] = await Promise.all(
    ['specs/team.yaml', 'lintel.lock.json'].map(file => readFile(join(ROOT, source, file), 'utf8')),
  );
  await using folder = await temporaryFolder({
    'lintel.yaml': 'sources: [specs]\n',
    'lintel.lock.json': lock ?? '',
    'specs/team.yaml': specs ?? '',
  });
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/team.yaml');
  // The server stores what it knows of a gateway once that was compiled without errors.
  await editor.replace('specs/team.yaml', 'conflictResolution: prefix', 'conflictResolution: prefics');
  await editor.diagnostics('specs/team.yaml', list => list.length > 0);
  await editor.replace('specs/team.yaml', 'conflictResolution: prefics', 'conflictResolution: prefix');
  await editor.diagnostics('specs/team.yaml', list => list.length === 0);
  await editor.replace('specs/team.yaml', 'resource == Tool::"notes_write");', 'resource == Tool::"no');
  expect(await completions(editor, 'specs/team.yaml', 'Tool::"no|\n')).toContain('notes_write');
  await editor.replace('specs/team.yaml', '          filter:\n', '          filter:\n            - co\n');
  expect(await completions(editor, 'specs/team.yaml', '- co|\n')).toContain('compare');
});
