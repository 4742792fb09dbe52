/** Which servers are run, by what, and how callers reach them. */
import { describe, expect, test } from 'vitest';
import { compile, manifestsOf, readTexts, SourceText } from '#compiler';
import { serviceUrl } from '#schemas';
import { only, templateOf } from '../manifests/build.ts';

function compiled(text: string) {
  return compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'build',
    target: 'pods',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
}

const object = (kind: string, name: string, spec: string, group = 'lintel.dev') =>
  `apiVersion: ${group}/v1beta1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: mcp }\nspec: ${spec}\n`;

const SERVER = '{ image: "r.test/a:1", transport: streamable-http }';
const GROUP = object('MCPGroup', 'tools', '{}');

test.each([
  ['an image over HTTP', object('MCPServer', 'a', SERVER), ['MCPServer a']],
  ['an image over SSE', object('MCPServer', 'a', '{ image: "r.test/a:1", transport: sse }'), ['MCPServer a']],
  ['a remote server', object('MCPRemoteProxy', 'a', '{ remoteUrl: "https://a.test/mcp" }'), ['MCPRemoteProxy a']],
  ['of another operator', object('MCPServer', 'a', SERVER, 'toolhive.stacklok.dev'), []],
  [
    'remote, of another operator',
    object('MCPRemoteProxy', 'a', '{ remoteUrl: "https://a.test/mcp" }', 'toolhive.stacklok.dev'),
    [],
  ],
  ['a program of this machine', object('MCPServer', 'a', '{ command: serve }'), []],
  [
    'an entry',
    `${GROUP}---\n${object('MCPServerEntry', 'a', '{ remoteUrl: "https://a.test/mcp", transport: sse, groupRef: { name: tools } }')}`,
    [],
  ],
])('%s', (_, text, served) => {
  const { servers, findings } = compiled(text);
  expect(findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(servers.map(({ object: { kind, name } }) => `${kind} ${name}`)).toEqual(served);
});

describe('the pod of a server', () => {
  const [server] = compiled(object('MCPServer', 'a', SERVER)).servers;
  const manifests = manifestsOf({ bundle: server?.bundle ?? expect.fail(), files: [] });

  test('has its gateway and the server, which meet on loopback', () => {
    expect(templateOf(manifests).spec.containers.map(({ name, image }) => [name, image])).toEqual([
      ['proxy', expect.stringContaining('lintel-runtime:')],
      ['mcp', 'r.test/a:1'],
    ]);
    expect(server?.bundle?.backends).toMatchObject([{ name: 'a', url: 'http://127.0.0.1:8080/mcp' }]);
  });

  test('takes connections to the gateway alone', () => {
    expect(only(manifests, 'NetworkPolicy').spec).toMatchObject({
      policyTypes: ['Ingress'],
      ingress: [
        {
          ports: [
            { port: 4483, protocol: 'TCP' },
            { port: 8081, protocol: 'TCP' },
          ],
        },
      ],
    });
  });

  test('is where gateways look for it', () => {
    const gateway = object(
      'VirtualMCPServer',
      'eng',
      '{ groupRef: { name: tools }, incomingAuth: { type: anonymous } }',
    );
    const member = object(
      'MCPServer',
      'a',
      '{ image: "r.test/a:1", transport: streamable-http, groupRef: { name: tools } }',
    );
    const { gateways } = compiled([GROUP, member, gateway].join('---\n'));
    const url = gateways[0]?.bundle?.backends[0]?.url;
    expect(url).toBe(`${serviceUrl('server', 'mcp', 'a')}/mcp`);
    const { ports } = only(manifests, 'Service').spec as { readonly ports: readonly object[] };
    expect(ports).toEqual([{ name: 'http', port: 8080, targetPort: 4483, protocol: 'TCP' }]);
    expect(only(manifests, 'Service').metadata.name).toBe('mcp-a-proxy');
  });
});

test.each([
  ['with an image, by default', '{ image: "r.test/a:1" }', ['LNT6023 /spec/transport']],
  ['with an image, as it is written', '{ image: "r.test/a:1", transport: stdio }', ['LNT6023 /spec/transport']],
  ['with a command', '{ command: serve }', []],
])('standard streams are refused where pods are to run, %s', (_, spec, expected) => {
  const { findings, servers } = compiled(object('MCPServer', 'a', spec));
  expect(findings.diagnostics.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(expected);
  expect(servers).toEqual([]);
});

test('names are shown as they are', () => {
  const [server] = compiled(object('MCPServer', 'a', SERVER)).servers;
  expect(server?.bundle?.aggregation).toEqual({ strategy: 'priority', priorityOrder: ['a'] });
});

test('a finding about the gateway of a server names the fields of the server, at their place', () => {
  const text = object(
    'MCPServer',
    'a',
    `
  image: r.test/a:1
  transport: streamable-http
  endpointPrefix: /tools
  trustProxyHeaders: true
  webhookConfigRef: { name: w }
  backendReplicas: 3
  permissionProfile: { name: mine, type: configmap }`,
  );
  const { findings, servers } = compiled(text);
  expect(servers.map(({ bundle }) => bundle)).toEqual([null]);
  expect(findings.diagnostics.map(({ code, pointer, range }) => [code, pointer, range.start.line])).toEqual([
    ['LNT1009', '/spec/endpointPrefix', 7],
    ['LNT1009', '/spec/trustProxyHeaders', 8],
    ['LNT1009', '/spec/webhookConfigRef', 9],
    ['LNT1008', '/spec/backendReplicas', 10],
    ['LNT1009', '/spec/permissionProfile', 11],
  ]);
});

test('an error in what a server refers to keeps it from being built, and no other', () => {
  const oidc = object('MCPOIDCConfig', 'idp', '{ type: inline }');
  const guarded = object(
    'MCPServer',
    'a',
    `{ image: "r.test/a:1", transport: sse, oidcConfigRef: { name: idp, audience: a } }`,
  );
  const { servers } = compiled([oidc, guarded, object('MCPServer', 'b', SERVER)].join('---\n'));
  expect(
    servers.map(({ object: { name }, bundle, blocker }) => [name, bundle === null, blocker?.object?.kind]),
  ).toEqual([
    ['a', true, 'MCPOIDCConfig'],
    ['b', false, undefined],
  ]);
});
