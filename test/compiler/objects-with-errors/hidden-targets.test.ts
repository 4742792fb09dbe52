/** A reference whose target may be in a document that could not be parsed gives no finding: the error in that document has to be corrected. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { formatClosing } from '../../../compiler/diagnostics/render/summary.ts';

const HEAD = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\n';

const ENTRY = `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: git }
spec: { remoteUrl: https://git.example.com/mcp, transport: sse, groupRef: { name: tools } }
`;

const GATEWAY = `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec: { groupRef: { name: tools }, incomingAuth: { type: anonymous } }
`;

function compiled(group: string) {
  const files = { 'gateway.yaml': `${ENTRY}---\n${GATEWAY}`, 'group.yaml': group };
  const sources = readTexts(Object.entries(files).map(([name, text]) => new SourceText(name, text)));
  return compile(sources, { purpose: 'check', origin: { compilerVersion: 'test', sourceRevision: null } });
}

const HIDDEN = [
  ['a tab before its name', `${HEAD}metadata:\n\tname: tools\n`, ['LNT1001']],
  ['an unclosed name', `${HEAD}metadata:\n  name: "tools\nspec: {}\n`, ['LNT1001']],
  ['no name', `${HEAD}metadata: {}\n`, ['LNT1019']],
  ['no kind', 'apiVersion: lintel.dev/v1beta1\nmetadata: { name: tools }\n', ['LNT1010']],
  ['a misspelt kind', 'apiVersion: lintel.dev/v1beta1\nkind: MCPGrup\nmetadata: { name: tools }\n', ['LNT1007']],
] as const;

test.each(HIDDEN)(
  'for a reference that may mean an unreadable document with %s, lintel check gives no LNT2001 and counts the reference as unchecked',
  (_, group, codes) => {
    const { findings, checked, gateways, hasErrors } = compiled(group);
    expect(findings.diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(checked.open?.references).toBe(2);
    expect(formatClosing(findings, checked)).toContain(
      '2 references to objects that may be in what could not be read; ',
    );
    expect([hasErrors, gateways[0]?.bundle]).toEqual([true, null]);
  },
);

const OTHER = [
  ['of another name', `${HEAD}metadata: { name: other }\nspec: { a: "\n`],
  ['of a misspelt kind and another name', 'apiVersion: lintel.dev/v1beta1\nkind: MCPGrup\nmetadata: { name: other }\n'],
  ['of another kind', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: tools }\nspec: { a: "\n'],
] as const;

test.each(OTHER)(
  'an unreadable document %s does not prevent the finding LNT2001 about a missing object',
  (_, group) => {
    const { findings, checked } = compiled(group);
    expect(findings.diagnostics.filter(({ code }) => code === 'LNT2001')).toHaveLength(2);
    expect(checked.open).not.toHaveProperty('references');
  },
);
