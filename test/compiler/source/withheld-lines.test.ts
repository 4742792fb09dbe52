/** No source frame shows a line that contains a secret. */
import { expect, test } from 'vitest';
import { findLine, readTexts, SourceText } from '../../../compiler/index.ts';

const entry = (spec: string) => `apiVersion: lintel.dev/v1beta1\nkind: MCPServerEntry\nspec: ${spec}\n`;
const gateway = (auth: string) =>
  `apiVersion: lintel.dev/v1beta1\nkind: VirtualMCPServer\nspec:\n  config:\n    outgoingAuth: ${auth}\n`;

test.each<[name: string, text: string, withheld: number[]]>([
  ['no line without a secret', entry('{ headerForward: { addPlaintextHeaders: { X-Team: hush } } }'), []],
  ['a header in flow style', entry('{ headerForward: { addPlaintextHeaders: { X-Api-Key: hush } } }'), [3]],
  [
    'a field in block style',
    gateway('\n      default:\n        headerInjection:\n          headerName: X\n          headerValue: hush'),
    [9],
  ],
  ['a field in flow style', gateway('{ default: { tokenExchange: { clientSecret: hush } } }'), [5]],
  [
    'a secret over several lines',
    gateway('{ default: { tokenExchange: { clientSecret: "hu\n        sh" } } }'),
    [5, 6],
  ],
  [
    'a secret by an alias',
    gateway('{ a: &x hush,\n        default: { tokenExchange: { clientSecret: *x } } }'),
    [5, 6],
  ],
  [
    'a known credential in any text',
    entry('\n  headerForward: { addPlaintextHeaders: { X-Team: ghp_hush0123456789abcdefghij } }\n  other: plain'),
    [4],
  ],
  ['a secret in the query of a URL', entry('\n  remoteUrl: https://example.com/mcp?api_key=hush'), [4]],
  ['a password in a URL', 'kind: Other\nurl: https://me:hush@example.com/\nmail: https://me@example.com/\n', [2]],
  ['a secret in broken JSON', '{"a": "redis://:hush@redis:6379",}', [1]],
])('reports hide lines with secrets: %s', (_, text, withheld) => {
  const sources = readTexts([new SourceText('a.yaml', text)]);
  const lines = text.trimEnd().split('\n');
  const hidden = lines.flatMap((_line, at) => (findLine(sources, 'a.yaml', at + 1) === undefined ? [at + 1] : []));
  expect(hidden).toEqual(withheld);
  for (const line of hidden) expect(lines[line - 1]).toMatch(/hu|sh|\*x/);
});
