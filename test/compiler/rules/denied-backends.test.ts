/** `denyPrivateBackends`: a backend with a private address in its URL is an error at its place. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { PrivateDenial } from '#schemas';

const group = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: tools }\n';

const gateway = (outgoing: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  ${outgoing}
`;

const written = (url: string) =>
  gateway(
    `outgoingAuth: { source: inline }\n  config: { backends: [{ name: b, url: '${url}', transport: sse, type: entry }] }`,
  );

const server =
  'apiVersion: lintel.dev/v1beta1\nkind: MCPServer\nmetadata: { name: own }\nspec: { image: a, transport: stdio, groupRef: { name: tools } }\n';

const exchange = (url: string) =>
  `apiVersion: lintel.dev/v1beta1\nkind: MCPExternalAuthConfig\nmetadata: { name: auth }\nspec: { type: tokenExchange, tokenExchange: { tokenUrl: '${url}', audience: a } }\n`;

const registry = (source: string) => `sources: [{ name: one, ${source}, syncPolicy: { interval: 1h } }]
registries: [{ name: all, sources: [one] }]
auth: { mode: anonymous }
`;

/** Findings about addresses: the object's kind, the pointer and the message; and whether each bundle was built. */
function found(objects: readonly string[], denial: PrivateDenial | undefined) {
  const sources = readTexts([new SourceText('spec.yaml', objects.join('---\n'))]);
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const { findings, gateways, registries } = compile(sources, { purpose: 'build', origin, denial });
  return {
    lines: findings.diagnostics
      .filter(({ code }) => code === 'LNT6010')
      .map(({ object, pointer, message }) => `${object?.kind} ${pointer}: ${message}`),
    isBuilt: [...gateways, ...registries].every(({ bundle }) => bundle !== null),
  };
}

const DENIED = { except: [] };
const denied = (field: string, host: string) =>
  `${field} leads to the private address "${host}", and private backends are denied`;

test.each<[string, readonly string[], readonly string[]]>([
  [
    'a backend that the gateway lists',
    [group, written('http://10.1.2.3/sse')],
    [`VirtualMCPServer /spec/config/backends/0/url: ${denied('url', '10.1.2.3')}`],
  ],
  [
    'a backend on localhost',
    [group, written('http://localhost:8000/sse')],
    [`VirtualMCPServer /spec/config/backends/0/url: ${denied('url', 'localhost')}`],
  ],
  [
    'a workload of the group, which is a Service of the cluster',
    [group, server, gateway('')],
    [`MCPServer /metadata/name: ${denied('name', 'mcp-own-proxy.default.svc.cluster.local')}`],
  ],
  [
    'an MCPServerEntry with allowPrivateEndpoint',
    [
      group,
      "apiVersion: lintel.dev/v1beta1\nkind: MCPServerEntry\nmetadata: { name: entry }\nspec: { remoteUrl: 'https://192.168.1.1/mcp', allowPrivateEndpoint: true, transport: sse, groupRef: { name: tools } }\n",
      gateway(''),
    ],
    [`MCPServerEntry /spec/remoteUrl: ${denied('remoteUrl', '192.168.1.1')}`],
  ],
  [
    'a token endpoint',
    [exchange('https://10.0.0.1/token')],
    [`MCPExternalAuthConfig /spec/tokenExchange/tokenUrl: ${denied('tokenUrl', '10.0.0.1')}`],
  ],
  [
    'an upstream registry',
    [registry("api: { endpoint: 'http://[::1]:9000' }")],
    [`RegistryConfig /sources/0/api/endpoint: ${denied('endpoint', '[::1]')}`],
  ],
  [
    'a git repository of registry entries',
    [registry("git: { repository: 'https://10.0.0.9/a.git', branch: main }")],
    [`RegistryConfig /sources/0/git/repository: ${denied('repository', '10.0.0.9')}`],
  ],
])('denyPrivateBackends in lintel.yaml denies %s', (_, objects, expected) => {
  const { lines, isBuilt } = found(objects, DENIED);
  expect(lines).toEqual(expected);
  expect(isBuilt).toBe(expected.length === 0 || !objects.some(text => /VirtualMCPServer|sources:/.test(text)));
  expect(found(objects, undefined)).toEqual({ lines: [], isBuilt: true });
});

test('denyPrivateBackends allows the hosts that except lists, public addresses, and host names that only a name server can resolve', () => {
  const except = ['10.1.2.3', '*.svc.cluster.local', 'localhost'];
  const texts = [
    [group, written('http://10.1.2.3/sse')],
    [group, server, gateway('')],
    [group, written('http://localhost:8000/sse')],
  ];
  for (const objects of texts) expect(found(objects, { except })).toEqual({ lines: [], isBuilt: true });
  for (const url of ['https://example.com/sse', 'http://tools.internal.example.com/sse']) {
    expect(found([group, written(url)], DENIED)).toEqual({ lines: [], isBuilt: true });
  }
});
