/** Code lenses above the lines that decide who can call what, and highlighting of code inside YAML. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type CodeLens,
  CodeLensRequest,
  CodeLensResolveRequest,
  ExecuteCommandRequest,
  SemanticTokensRequest,
  type ShowDocumentParams,
  ShowDocumentRequest,
} from 'vscode-languageserver-protocol/node';
import { Editor, offsetIn } from '../../support/editor.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

const POLICIES = 'specs/team.yaml';

async function example(name: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({ 'lintel.yaml': 'sources: [specs]\n' });
  for (const part of ['specs', 'lintel.lock.json'])
    await cp(join(ROOT, 'examples', name, part), folder.file(part), { recursive: true });
  return folder;
}

/** The line of each lens, with its text. */
async function lenses(editor: Editor, file: string): Promise<readonly (readonly [string, CodeLens])[]> {
  const { connection } = editor;
  const textDocument = { uri: editor.uri(file) };
  const found = (await connection.sendRequest(CodeLensRequest.type, { textDocument })) ?? [];
  // Their texts are resolved one by one, when they become visible.
  expect(found.filter(({ command }) => command !== undefined)).toEqual([]);
  const whole: (readonly [string, CodeLens])[] = [];
  for (const lens of found) {
    const resolved = await connection.sendRequest(CodeLensResolveRequest.type, lens);
    whole.push([editor.held(file, lens.range).split('\n')[1]?.trim() ?? editor.held(file, lens.range), resolved]);
  }
  return whole;
}

const titles = (all: readonly (readonly [string, CodeLens])[]) =>
  all.map(([above, { command }]) => `${above}: ${command?.title}`);

test('the code lenses of a gateway, its backends and its policies show who can call the tools', async () => {
  await using folder = await example('policies');
  await using editor = await Editor.in(folder.path);
  await editor.open(POLICIES);
  expect(titles(await lenses(editor, POLICIES))).toMatchInlineSnapshot(`
    [
      "team: 4 kinds of callers can call: principal in Group::"editors", unless principal in Group::"interns" && arg_title is not a String (1 tool); principal in Group::"in…",
      "notes: 3 tools: 3 kinds of callers can call: principal in Group::"editors" or principal in Group::"interns" && (context has arg_title && context.arg_title like "Draft…",
      "climate: 3 tools: 1 kind of caller can call: principal in Group::"staff", unless principal in Group::"interns"",
      "@id("editors-write"): notes_write: 2 kinds of callers can call: principal in Group::"editors" or principal in Group::"interns" && (context has arg_title && context.arg_title like "D…",
      "@id("interns-write-drafts"): notes_write: 2 kinds of callers can call: principal in Group::"editors" or principal in Group::"interns" && (context has arg_title && context.arg_title like "D…",
    ]
  `);
});

test('the code lens of a workflow shows who can call it', async () => {
  await using folder = await example('workflows');
  await using editor = await Editor.in(folder.path);
  await editor.open('specs/release-desk.yaml');
  expect(titles(await lenses(editor, 'specs/release-desk.yaml'))).toMatchInlineSnapshot(`
    [
      "release-desk: 1 kind of caller can call: everyone (4 tools)",
      "release: release: everyone can call",
      "tracker: 2 tools: everyone can call",
      "releases: 1 tool: everyone can call",
    ]
  `);
});

test('the code lens of a backend shows the callers for each gateway of its group', async () => {
  await using folder = await temporaryFolder({
    ...CLEAN,
    'other.yaml': (CLEAN['gateway.yaml'] ?? '').replace('name: eng', 'name: ops'),
  });
  await using editor = await Editor.in(folder.path);
  await editor.open('entry.yaml');
  expect(titles(await lenses(editor, 'entry.yaml'))).toEqual([
    'github: eng: the tool lock knows no tool of this backend · ops: the tool lock knows no tool of this backend',
  ]);
  // With an error in one gateway, only the other one has lenses.
  await editor.open('other.yaml');
  await editor.replace('other.yaml', 'config: {}', 'config: { aggregation: { conflictResolution: prefics } }');
  await editor.diagnostics('other.yaml', list => list.length > 0);
  expect(titles(await lenses(editor, 'entry.yaml'))).toEqual([
    'github: eng: the tool lock knows no tool of this backend',
  ]);
});

test('the code lens of an MCPServer shows which callers reach the MCPServer without a gateway, at its own address', async () => {
  await using folder = await example('servers');
  await using editor = await Editor.in(folder.path);
  const files = (await readdir(folder.file('specs')))
    .filter(file => file.endsWith('.yaml'))
    .map(file => `specs/${file}`);
  const found: string[] = [];
  for (const file of files) {
    await editor.open(file);
    found.push(...titles(await lenses(editor, file)));
  }
  expect(found).toMatchInlineSnapshot(`
    [
      "tickets: at its own address: 2 kinds of callers can call: principal in Group::"support", only if principal in Group::"leads" (1 tool); principal in Group::"support" (1 …",
      "notes: at its own address: 1 kind of caller can call: everyone (2 tools)",
      "docs: at its own address: 1 kind of caller can call: principal in Group::"staff" (1 tool)",
    ]
  `);
});

test('the command of a code lens opens the complete exposure report as a page in the browser', async () => {
  await using folder = await example('policies');
  await using editor = await Editor.in(folder.path);
  const { connection } = editor;
  const shown: ShowDocumentParams[] = [];
  connection.onRequest(ShowDocumentRequest.type, asked => {
    shown.push(asked);
    return { success: true };
  });
  await editor.open(POLICIES);
  const [[, lens] = []] = await lenses(editor, POLICIES);
  const { command = '', arguments: given } = lens?.command ?? {};
  expect(editor.initialized.capabilities.executeCommandProvider?.commands).toEqual([command]);
  await connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: given ?? [] });
  expect(shown).toEqual([{ uri: expect.stringMatching(/^file:.*\.html$/), external: true }]);
  const page = fileURLToPath(shown[0]?.uri ?? '');
  expect(await readFile(page, 'utf8')).toContain('notes_write');
  expect(await editor.shutdown()).toBe(0);
  await expect(readFile(page)).rejects.toThrow('ENOENT');
});

/** Each token's text and type. */
async function tokens(editor: Editor, file: string): Promise<readonly string[]> {
  const { data } = (await editor.connection.sendRequest(SemanticTokensRequest.type, {
    textDocument: { uri: editor.uri(file) },
  })) ?? { data: [] };
  const { tokenTypes } = editor.initialized.capabilities.semanticTokensProvider?.legend ?? { tokenTypes: [] };
  const found: string[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [further = 0, across = 0, length = 0, type = 0] = data.slice(at, at + 5);
    character = further === 0 ? character + across : across;
    line += further;
    const start = offsetIn(editor.text(file), { line, character });
    found.push(`${tokenTypes[type]} ${editor.text(file).slice(start, start + length)}`);
  }
  return found;
}

const CODE = `apiVersion: lintel.dev/v1beta1
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
          - |
            // 𝒜 note
            permit (principal, action == Action::"call_tool", resource)
            when { context.arg_n < 10 };
          - "forbid(principal, action, resource == Tool::\\"x\\");"
          - >-
            permit (principal,
            action, resource);
  config:
    compositeTools:
      - name: report
        description: "Not a {{.template}}"
        parameters: { type: object, properties: { topic: { type: string } } }
        steps:
          - { id: a, tool: github.search, arguments: { query: 'It''s {{ printf "%s" .params.topic | quote }}' } }
          - { id: b, tool: github.search, arguments: { query: "{{ if }" } }
`;

test('the language server colors policies and templates if their characters are written without escapes', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'gateway.yaml': CODE });
  await using editor = await Editor.in(folder.path);
  await editor.open('gateway.yaml');
  expect((await tokens(editor, 'gateway.yaml')).join('\n')).toMatchInlineSnapshot(`
    "comment // 𝒜 note
    keyword permit
    operator (
    variable principal
    operator ,
    variable action
    operator ==
    type Action
    operator ::
    string "call_tool"
    operator ,
    variable resource
    operator )
    keyword when
    operator {
    variable context
    operator .
    property arg_n
    operator <
    number 10
    operator }
    operator ;
    keyword forbid
    operator (
    variable principal
    operator ,
    variable action
    operator ,
    variable resource
    operator ==
    type Tool
    operator ::
    string \\"x\\"
    operator )
    operator ;
    keyword {{
    function printf
    string "%s"
    property .params
    property .topic
    operator |
    function quote
    keyword }}"
  `);
});

const ROLES = `apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: roles }
spec:
  type: awsSts
  awsSts:
    region: us-east-1
    roleMappings:
      - roleArn: arn:aws:iam::123456789012:role/admin
        # Not the condition.
        matcher: |
          // who pays
          claims["team"] == 'pay' && size(claims.groups) > 2 || !("x" in claims)
      - { roleArn: 'arn:aws:iam::123456789012:role/read', matcher: 'claims.sub.startsWith("a") && true' }
`;

test('the language server colors CEL conditions, and no other text of the object that has the conditions', async () => {
  await using folder = await temporaryFolder({ 'roles.yaml': ROLES });
  await using editor = await Editor.in(folder.path);
  await editor.open('roles.yaml');
  expect((await tokens(editor, 'roles.yaml')).join('\n')).toMatchInlineSnapshot(`
    "comment // who pays
    variable claims
    operator [
    string "team"
    operator ]
    operator ==
    string 'pay'
    operator &&
    function size
    operator (
    variable claims
    operator .
    property groups
    operator )
    operator >
    number 2
    operator ||
    operator !
    operator (
    string "x"
    keyword in
    variable claims
    operator )
    variable claims
    operator .
    property sub
    operator .
    function startsWith
    operator (
    string "a"
    operator )
    operator &&
    keyword true"
  `);
});
