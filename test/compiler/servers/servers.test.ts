/** Which servers are run, by which objects, and how callers reach them. */
import { describe, expect, test } from 'vitest';
import { compile, type Diagnostic, generateManifests, type Manifest, readTexts, SourceText } from '#compiler';
import { formatServiceUrl } from '#schemas';
import { findTemplate, only } from '../manifests/build.ts';

function compiled(text: string) {
  return compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'build',
    target: 'pods',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
}

const object = (kind: string, name: string, spec: string, group = 'lintel.dev') =>
  `apiVersion: ${group}/v1beta1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: mcp }\nspec: ${spec}\n`;

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly object[];
}

function containersOf(manifests: readonly Manifest[]): readonly Container[] {
  return findTemplate(manifests).spec.containers as readonly unknown[] as readonly Container[];
}

/** The places of the findings, without those about servers that require no token. */
function placesOf(found: readonly Diagnostic[]): string[] {
  return found.filter(({ code }) => code !== 'LNT4027').map(({ code, pointer }) => `${code} ${pointer}`);
}

const SERVER = '{ image: "r.test/a:1", transport: streamable-http }';
const GROUP = object('MCPGroup', 'tools', '{}');

test.each([
  ['an image with streamable HTTP', object('MCPServer', 'a', SERVER), ['MCPServer a']],
  ['an image with SSE', object('MCPServer', 'a', '{ image: "r.test/a:1", transport: sse }'), ['MCPServer a']],
  ['an MCPRemoteProxy', object('MCPRemoteProxy', 'a', '{ remoteUrl: "https://a.test/mcp" }'), ['MCPRemoteProxy a']],
  ['an MCPServer of another operator', object('MCPServer', 'a', SERVER, 'toolhive.stacklok.dev'), []],
  [
    'an MCPRemoteProxy of another operator',
    object('MCPRemoteProxy', 'a', '{ remoteUrl: "https://a.test/mcp" }', 'toolhive.stacklok.dev'),
    [],
  ],
  [
    'an MCPServerEntry',
    `${GROUP}---\n${object('MCPServerEntry', 'a', '{ remoteUrl: "https://a.test/mcp", transport: sse, groupRef: { name: tools } }')}`,
    [],
  ],
])('the compiler builds pods only for servers that Lintel runs: %s', (_, text, served) => {
  const { servers, findings } = compiled(text);
  expect(findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(servers.map(({ object: { kind, name } }) => `${kind} ${name}`)).toEqual(served);
});

describe('the pod of a server', () => {
  const [server] = compiled(object('MCPServer', 'a', SERVER)).servers;
  const manifests = generateManifests({ bundle: server?.bundle ?? expect.fail(), files: [] });

  test('the pod of an MCPServer has a gateway container and the server, which the gateway calls on loopback', () => {
    expect(findTemplate(manifests).spec.containers.map(({ name, image }) => [name, image])).toEqual([
      ['proxy', expect.stringContaining('lintel-runtime:')],
      ['mcp', 'r.test/a:1'],
    ]);
    expect(server?.bundle?.backends).toMatchObject([{ name: 'a', url: 'http://127.0.0.1:8080/mcp' }]);
  });

  test("the network policy of an MCPServer's pod accepts connections to the gateway container only", () => {
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

  test('a gateway calls an MCPServer at the address of its generated Service', () => {
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
    expect(url).toBe(`${formatServiceUrl('server', 'mcp', 'a')}/mcp`);
    const { ports } = only(manifests, 'Service').spec as { readonly ports: readonly object[] };
    expect(ports).toEqual([{ name: 'http', port: 8080, targetPort: 4483, protocol: 'TCP' }]);
    expect(only(manifests, 'Service').metadata.name).toBe('mcp-a-proxy');
  });
});

test.each([
  ['an image without a command, by default', '{ image: "r.test/a:1" }', ['LNT6023 /spec/transport'], []],
  [
    'an image without a command and transport stdio',
    '{ image: "r.test/a:1", transport: stdio }',
    ['LNT6023 /spec/transport'],
    [],
  ],
  ['an image with a command', '{ image: "r.test/a:1", command: serve }', [], ['a']],
  ['a command without an image', '{ command: serve }', ['LNT2013 /spec/command'], []],
])('the compiler builds pods for an MCPServer over stdio or reports why it cannot: %s', (_, spec, expected, served) => {
  const { findings, servers } = compiled(object('MCPServer', 'a', spec));
  expect(placesOf(findings.diagnostics)).toEqual(expected);
  expect(servers.map(({ object: { name } }) => name)).toEqual(served);
});

describe('the pod of a stdio server', () => {
  const STDIO = `{ image: "r.test/a:1", command: serve, args: ["--to", "$(TO)", "$5"], env: [{ name: TO, value: "$(HOME)" }],
    secrets: [{ name: keys, key: token }], process: { maxProcesses: 3 }, workingDir: "/srv/$(X)" }`;
  const [server] = compiled(object('MCPServer', 'a', STDIO)).servers;
  const manifests = generateManifests(
    { bundle: server?.bundle ?? expect.fail(), files: [] },
    { image: 'r.test/runtime:1', bridgeImage: 'r.test/bridge:1' },
  );
  const { initContainers } = findTemplate(manifests).spec as { readonly initContainers?: readonly Container[] };
  const containers = containersOf(manifests);
  const [, mcp = expect.fail()] = containers;

  test('the pod of a stdio MCPServer gets the bridge by an init container, and the bridge starts the program', () => {
    expect(initContainers?.map(({ name, image }) => [name, image])).toEqual([['bridge', 'r.test/bridge:1']]);
    expect(containers.map(({ name, image }) => [name, image])).toEqual([
      ['proxy', 'r.test/runtime:1'],
      ['mcp', 'r.test/a:1'],
    ]);
    expect(mcp.command?.slice(-1)).toEqual(['/lintel-bridge/lintel-bridge.js']);
    expect(server?.bundle?.backends).toMatchObject([{ name: 'a', url: 'http://127.0.0.1:4484/mcp/a/mcp' }]);
  });

  test('the arguments of a stdio MCPServer keep references to Kubernetes variables, and such references in its workingDir are escaped', () => {
    const [end, plan] = ['--', '--plan'].map(word => mcp.args?.indexOf(word) ?? -1);
    expect(mcp.args?.slice(end)).toEqual(['--', 'serve', '--to', '$(TO)', '$5']);
    expect(JSON.parse(mcp.args?.[(plan ?? 0) + 1] ?? '')).toMatchObject({
      workingDir: '/srv/$$(X)',
      maxProcesses: 3,
      env: [{ name: 'token', value: { type: 'secret', from: { env: 'token', file: null } } }],
    });
  });

  test('the environment variables from Secrets are in the server container of a stdio MCPServer, and not in the gateway container', () => {
    expect(mcp.env).toEqual([
      { name: 'TO', value: '$(HOME)' },
      { name: 'token', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
    ]);
    expect(containers[0]?.env).toBeUndefined();
    expect(server?.bundle?.secrets).toEqual([]);
  });

  test('a gateway calls a stdio MCPServer by the transport of its proxyMode', () => {
    const gateway = object(
      'VirtualMCPServer',
      'eng',
      '{ groupRef: { name: tools }, incomingAuth: { type: anonymous } }',
    );
    const backendOf = (more: string) => {
      const spec = `{ image: "r.test/a:1", command: serve, groupRef: { name: tools }${more} }`;
      const { gateways, findings } = compiled([GROUP, object('MCPServer', 'a', spec), gateway].join('---\n'));
      expect(findings.counts.error).toBe(0);
      return gateways[0]?.bundle?.backends[0];
    };
    const address = formatServiceUrl('server', 'mcp', 'a');
    expect(backendOf('')).toMatchObject({ url: `${address}/mcp`, transport: 'streamable-http' });
    expect(backendOf(', proxyMode: sse')).toMatchObject({ url: `${address}/sse`, transport: 'sse' });
    expect(backendOf('')).not.toHaveProperty('stdio');
  });

  test.each([
    [
      'another command in its pod template',
      'podTemplateSpec: { spec: { containers: [{ name: mcp, command: [sh] }] } }',
    ],
    ['other arguments in its pod template', 'podTemplateSpec: { spec: { containers: [{ name: mcp, args: [] }] } }'],
  ])('the compiler builds no bundle for a stdio MCPServer with %s', (_, field) => {
    const text = object('MCPServer', 'a', `{ image: "r.test/a:1", command: serve, ${field} }`);
    const { findings, servers } = compiled(text);
    expect(placesOf(findings.diagnostics)).toEqual(['LNT1009 /spec/podTemplateSpec']);
    expect(servers.map(({ bundle }) => bundle)).toEqual([null]);
  });

  test.each([
    ['mcpPort: 9000', '/spec/mcpPort'],
    ['process: { inheritEnv: [HOME] }', '/spec/process/inheritEnv'],
    ['replicas: 2, backendReplicas: 2', '/spec/replicas'],
  ])('a stdio MCPServer with %s gives LNT1008', (field, pointer) => {
    const { findings } = compiled(object('MCPServer', 'a', `{ image: "r.test/a:1", command: serve, ${field} }`));
    expect(placesOf(findings.diagnostics)).toEqual([`LNT1008 ${pointer}`]);
  });

  test('policies of an MCPServer with a command give LNT6022 only if the MCPServer has no image', () => {
    const guarded =
      'command: serve, authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"] } }';
    const codes = (spec: string) =>
      compiled(object('MCPServer', 'a', spec)).findings.diagnostics.map(({ code }) => code);
    expect(codes(`{ image: "r.test/a:1", ${guarded} }`)).not.toContain('LNT6022');
    expect(codes(`{ ${guarded} }`)).toContain('LNT6022');
  });
});

describe('a command without an image', () => {
  const OTHER = object('MCPGroup', 'others', '{}');
  const command = (more = '', group = 'lintel.dev') => object('MCPServer', 'a', `{ command: serve${more} }`, group);
  const member = command(', groupRef: { name: tools }');
  const gateway = (group: string, more = '') =>
    object('VirtualMCPServer', 'g', `{ groupRef: ${group}, incomingAuth: { type: anonymous }${more} }`);
  const TOOLS = gateway('{ name: tools }');
  const elsewhere = (text: string) => text.replace('namespace: mcp', 'namespace: other');

  test.each<[title: string, objects: readonly string[], onMachine: readonly string[], inPods: readonly string[]]>([
    [
      'in no group',
      [command(), TOOLS],
      ['warning LNT2013 /spec/command nothing starts "a": it is a command, and it is in no group'],
      ['error LNT2013 /spec/command "a" is a command of a machine, and nothing runs it in a cluster'],
    ],
    [
      'in a group that no gateway serves',
      [member, OTHER, gateway('{ name: others }')],
      ['warning LNT2013 /spec/groupRef/name nothing starts "a": it is a command, and no gateway has its group "tools"'],
      ['error LNT2013 /spec/command "a" is a command of a machine, and nothing runs it in a cluster'],
    ],
    [
      'in a group of this name in another namespace',
      [member, elsewhere(GROUP), elsewhere(TOOLS)],
      ['warning LNT2013 /spec/groupRef/name nothing starts "a": it is a command, and no gateway has its group "tools"'],
      ['error LNT2013 /spec/command "a" is a command of a machine, and nothing runs it in a cluster'],
    ],
    [
      'in the group of a gateway',
      [member, TOOLS],
      [],
      [
        'error LNT6021 /spec/command "a" is a command of this machine, and nothing runs it in a cluster: VirtualMCPServer "g" would never reach it',
      ],
    ],
    [
      'with another error',
      [command(', args: 7'), TOOLS],
      ['warning LNT2013 /spec/command nothing starts "a": it is a command, and it is in no group'],
      ['error LNT2013 /spec/command "a" is a command of a machine, and nothing runs it in a cluster'],
    ],
    ['with an invalid groupRef', [command(', groupRef: { name: 7 }'), TOOLS], [], []],
    ['in a missing group', [command(', groupRef: { name: nowhere }'), TOOLS], [], []],
    [
      'in the group of a gateway with errors',
      [member, gateway('{ name: tools }', ', replicas: many')],
      [],
      [
        'error LNT6021 /spec/command "a" is a command of this machine, and nothing runs it in a cluster: VirtualMCPServer "g" would never reach it',
      ],
    ],
    ['next to a gateway with an invalid groupRef', [member, gateway('{ name: 7 }')], [], []],
    ['of another operator', [command('', 'toolhive.stacklok.dev'), TOOLS], [], []],
    ['that has an image as well', [command(', image: "r.test/a:1"'), TOOLS], [], []],
  ])(
    'the compiler gives the expected findings about a command without an image, on a machine and in pods: %s',
    (_, objects, onMachine, inPods) => {
      const sources = readTexts([new SourceText('spec.yaml', [GROUP, ...objects].join('---\n'))]);
      const found = (target: 'pods' | undefined) =>
        compile(sources, { purpose: 'check', target, origin: { compilerVersion: '0.0.0', sourceRevision: null } })
          .findings.diagnostics.filter(({ code }) => code === 'LNT2013' || code === 'LNT6021')
          .map(({ severity, code, pointer, message }) => `${severity} ${code} ${pointer} ${message}`);
      expect([found(undefined), found('pods')]).toEqual([onMachine, inPods]);
    },
  );

  test('an MCPServer with a command that is in no group adds no backend to a gateway', () => {
    const entry = object(
      'MCPServerEntry',
      'e',
      '{ groupRef: { name: tools }, remoteUrl: "https://e.test/mcp", transport: sse }',
    );
    const { gateways } = compiled([GROUP, entry, TOOLS, command()].join('---\n'));
    expect(gateways.map(({ bundle }) => bundle?.backends.map(({ name }) => name))).toEqual([['e']]);
  });
});

test('the gateway container of an MCPServer may call its own server even if private backends are denied', () => {
  const argumentsOf = (text: string) => {
    const [server] = compiled(text).servers;
    const built = { bundle: server?.bundle ?? expect.fail(), files: [] };
    return containersOf(generateManifests(built, { denial: { except: ['db.test'] } }))[0]?.args?.slice(-5);
  };
  expect(argumentsOf(object('MCPServer', 'a', SERVER))).toEqual([
    '--deny-private-backends',
    ...['--private-backend', 'db.test', '--private-backend', '127.0.0.1'],
  ]);
  expect(argumentsOf(object('MCPRemoteProxy', 'a', '{ remoteUrl: "https://a.test/mcp" }'))).not.toContain('127.0.0.1');
});

test('the gateway container of an MCPServer leaves tool names unchanged', () => {
  const [server] = compiled(object('MCPServer', 'a', SERVER)).servers;
  expect(server?.bundle?.aggregation).toEqual({ strategy: 'priority', priorityOrder: ['a'] });
});

test('a finding about the gateway of an MCPServer points to fields of the MCPServer', () => {
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
    ['LNT4027', '/spec/oidcConfigRef', 4],
    ['LNT1009', '/spec/endpointPrefix', 7],
    ['LNT1009', '/spec/trustProxyHeaders', 8],
    ['LNT1009', '/spec/webhookConfigRef', 9],
    ['LNT1008', '/spec/backendReplicas', 10],
    ['LNT1009', '/spec/permissionProfile', 11],
  ]);
});

test('an error in an object to which an MCPServer refers prevents only the bundle of that MCPServer', () => {
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
