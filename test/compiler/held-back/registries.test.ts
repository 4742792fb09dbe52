/** `lintel build` does not build a registry server while an object that it may list is broken, and names this object. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { formatBlockedServers } from '../../../compiler/commands/format-blocked-servers.ts';

const CONFIG = (source: string) => `sources:
  - name: cluster
    kubernetes: ${source}
registries: [{ name: main, sources: [cluster] }]
auth: { mode: anonymous }
`;

const exported = (kind: string, metadata: string, spec: string): string => `apiVersion: lintel.dev/v1beta1
kind: ${kind}
metadata:
  annotations: { lintel.dev/registry-export: "true", lintel.dev/registry-url: "https://x.example.com/mcp" }
  ${metadata}
spec: ${spec}
`;
const PROXY = '{ remoteUrl: "https://x.example.com/mcp" }';
const GROUP = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: tools }\n---\n';
const GATEWAY = `{ groupRef: { name: tools }, incomingAuth: { type: anonymous } }`;
const BROKEN_MEMBER = `---\napiVersion: lintel.dev/v1beta1\nkind: MCPServerEntry\nmetadata: { name: entry }\nspec: { groupRef: { name: tools }, nonsense: 1 }\n`;

function compiled(source: string, objects: string) {
  const texts = [new SourceText('registry.yaml', CONFIG(source)), new SourceText('objects.yaml', objects)];
  return compile(readTexts(texts), { purpose: 'build', origin: { compilerVersion: 'test', sourceRevision: null } });
}

test.each<[title: string, source: string, objects: string, blocker: string | undefined]>([
  ['no error', '{}', exported('MCPRemoteProxy', 'name: docs', PROXY), undefined],
  ['an exported object with an unknown field', '{}', exported('MCPRemoteProxy', 'name: docs', '{ url: x }'), 'LNT1003'],
  ['an exported object with a bad name', '{}', exported('MCPRemoteProxy', 'name: Bad_Name', PROXY), 'LNT1019'],
  [
    'an exported object in an invalid namespace',
    '{ namespaces: [web] }',
    exported('MCPRemoteProxy', 'name: docs\n  namespace: Bad_Name', PROXY),
    'LNT1019',
  ],
  [
    'an object of an unknown kind in an exported namespace',
    '{}',
    exported('MCPRemotePrxy', 'name: docs', PROXY),
    'LNT1007',
  ],
  [
    'an object of an unknown kind in another namespace',
    '{ namespaces: [web] }',
    exported('MCPRemotePrxy', 'name: docs', PROXY),
    undefined,
  ],
  [
    'a kind that no registry server exports',
    '{}',
    'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: Bad_Name }\n',
    undefined,
  ],
  [
    'an error in a member of an exported gateway',
    '{}',
    `${GROUP}${exported('VirtualMCPServer', 'name: eng', GATEWAY)}${BROKEN_MEMBER}`,
    'LNT1003',
  ],
  ['a file that is no YAML', '{}', 'a: [', 'LNT1001'],
])(
  'the compiler does not build a registry server if an error may concern its exported entries: %s',
  (_, source, objects, code) => {
    const compilation = compiled(source, objects);
    const [registry] = compilation.registries;
    expect(registry?.blocker?.code).toBe(code);
    expect(registry?.bundle === null).toBe(code !== undefined);
    const text = formatBlockedServers(compilation);
    if (code === undefined) expect(text).not.toContain('default/registry');
    else
      expect(text).toMatch(
        new RegExp(`^objects\\.yaml:\\d+:\\d+: ${code} keeps .* from being written: .*default/registry`),
      );
  },
);

test('if more than ten findings keep servers from being written, lintel build counts those after the tenth', () => {
  const namespaces = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const objects = namespaces.map(
    namespace =>
      `${GROUP.replace('name: tools', `name: tools, namespace: ${namespace}`)}${exported(
        'VirtualMCPServer',
        `name: eng\n  namespace: ${namespace}`,
        GATEWAY,
      )}${BROKEN_MEMBER.replace('name: entry', `name: entry, namespace: ${namespace}`)}`,
  );
  const lines = formatBlockedServers(compiled('{ namespaces: [none] }', objects.join('---\n')))
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('2 more findings keep further servers from being written');
});
