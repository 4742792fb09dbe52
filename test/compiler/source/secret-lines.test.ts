import { expect, test } from 'vitest';
import { SourceText } from '#compiler';
import { collectSecretLines } from '../../../compiler/source/secret-lines.ts';

test.each<[name: string, text: string, lines: number[]]>([
  ['no Secret', 'kind: ConfigMap\ndata:\n  a: Secret\n', []],
  ['a Secret', 'kind: Secret\nstringData:\n  a: b', [1, 2, 3]],
  ['a Secret between other documents', 'kind: A\n--- # c\nkind: "Secret"\na: [\n---\nkind: SecretStore\n', [2, 3, 4]],
  ['a Secret at the end', 'kind: A\n---\na: b\nkind: Secret\n', [2, 3, 4]],
  ['a Secret with CRLF', 'kind: A\r\n---\r\nkind: Secret\r\n', [2, 3]],
  ['a Secret in a List', 'kind: List\nitems:\n- kind: Secret\n  data: {}\n', [1, 2, 3, 4]],
  ['a Secret in JSON', '{\n  "kind": "Secret"\n}', [1, 2, 3]],
  ['a Secret in flow style', '{apiVersion: v1, kind: Secret}', [1]],
  ['a field that ends in kind', 'refkind: Secret\n', []],
])('the compiler hides the lines of a Secret in reports: %s', (_, text, lines) => {
  expect([...collectSecretLines(new SourceText('a.yaml', text))]).toEqual(lines);
});

test('the compiler hides lines with a literal database password in any document', () => {
  const text = `database:
  password: hunter2
  migrationPassword: "hunter3"
  passwordFile: /etc/password
  password: ''
  password: { name: db, key: password }
other: { host: db, password: hunter4 }
password: |
`;
  expect([...collectSecretLines(new SourceText('a.yaml', text))]).toEqual([2, 3, 7]);
});
