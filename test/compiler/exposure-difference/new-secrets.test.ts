/** `lintel diff` reports secrets that go to a new host: to a new backend or source, a collector, a Redis, or an embedding service. */
import { describe, expect, test } from 'vitest';
import { diffExposure, type Exposure, type RegistryExposure } from '#compiler';
import { compileExposure } from '../exposure/registry/sample.ts';
import { exposures } from '../exposure/sample.ts';

const BASE = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: key }
spec:
  type: headerInjection
  headerInjection: { headerName: X-Key, valueSecretRef: { name: hub, key: token } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: other-key }
spec:
  type: headerInjection
  headerInjection: { headerName: X-Key, valueSecretRef: { name: other, key: token } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: https://auth.example.com } }
`;

interface Entry {
  readonly name: string;
  readonly url: string;
  readonly auth?: string;
  readonly header?: string;
}

const entry = ({ name, url, auth, header }: Entry): string => `---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: ${name} }
spec:
  groupRef: { name: tools }
  remoteUrl: ${url}
  transport: streamable-http
${auth === undefined ? '' : `  externalAuthConfigRef: { name: ${auth} }\n`}${
  header === undefined
    ? ''
    : `  headerForward: { addHeadersFromSecret: [{ headerName: X-H, valueSecretRef: { name: ${header}, key: k } }] }\n`
}`;

function gatewayOf(entries: readonly Entry[], settings = '', others = ''): Exposure {
  const gateway = `---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: gw }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: gw, resourceUrl: "https://gw.example.com" } }
${settings}`;
  const [found] = exposures(`${BASE}${entries.map(entry).join('')}${others}${gateway}`, {});
  if (found === undefined) throw new Error('the sample has errors');
  return found;
}

const HUB = { name: 'hub', url: 'https://hub.example.com/mcp', auth: 'key' };

const alarmsOf = (before: Exposure | RegistryExposure, after: Exposure | RegistryExposure): readonly string[] => [
  ...new Set(diffExposure(before, after).changes.flatMap(({ alarms }) => alarms)),
];

describe('a new backend', () => {
  test.each<[what: string, before: readonly Entry[], after: readonly Entry[], expected: readonly string[]]>([
    ['without a credential', [HUB], [HUB, { name: 'b', url: 'https://b.example.com/mcp' }], []],
    [
      'with a credential of its own',
      [HUB],
      [HUB, { name: 'b', url: 'https://b.example.com/mcp', auth: 'other-key' }],
      ['newCredential'],
    ],
    [
      'with a header from a Secret',
      [HUB],
      [HUB, { name: 'b', url: 'https://b.example.com/mcp', header: 'other' }],
      ['newCredential'],
    ],
    [
      'with the credential of another backend',
      [HUB],
      [HUB, { name: 'b', url: 'https://b.example.com/mcp', auth: 'key' }],
      ['otherHost'],
    ],
    [
      'that replaces another backend at another host with the same credential',
      [HUB],
      [{ ...HUB, name: 'hub2', url: 'https://hub.evil.example/mcp' }],
      ['otherHost'],
    ],
    ['that replaces another backend at the same host with the same credential', [HUB], [{ ...HUB, name: 'hub2' }], []],
  ])('lintel diff raises the alarms $3 for a new backend %s', (_, before, after, expected) => {
    expect(alarmsOf(gatewayOf(before), gatewayOf(after))).toEqual(expected);
    expect(alarmsOf(gatewayOf(after), gatewayOf(after))).toEqual([]);
  });

  test('lintel diff raises no alarm for a credential of a new gateway', () => {
    expect(diffExposure(null, gatewayOf([HUB])).changes.flatMap(({ alarms }) => alarms)).toEqual([]);
  });
});

const collector = (endpoint: string, more = ''): string =>
  `  config:\n    telemetry: { endpoint: "${endpoint}", tracingEnabled: true, samplingRate: "0.1"${more} }\n`;

const shared = (endpoint: string, key = 'token'): string => `---
apiVersion: lintel.dev/v1beta1
kind: MCPTelemetryConfig
metadata: { name: shared }
spec:
  openTelemetry:
    enabled: true
    endpoint: ${endpoint}
    tracing: { enabled: true, samplingRate: "0.1" }
    sensitiveHeaders: [{ name: authorization, secretKeyRef: { name: otel, key: ${key} } }]
`;
const SHARED = '  telemetryConfigRef: { name: shared }\n';

const HOST = 'https://otel.example.com';
const OTHER = 'https://otel.evil.example';

describe('telemetry of a gateway', () => {
  const telemetry = (settings: string, others = '') => gatewayOf([HUB], settings, others);

  test.each([
    ['a new telemetry collector', '', collector(HOST), 'mixed', []],
    [
      'the value of an environment variable',
      '',
      collector(HOST, ', environmentVariables: [DATABASE_URL]'),
      'mixed',
      ['newCredential', 'otherSecret'],
    ],
    [
      'the value of a further environment variable',
      collector(HOST, ', environmentVariables: [A]'),
      collector(HOST, ', environmentVariables: [A, DATABASE_URL]'),
      'mixed',
      ['otherSecret'],
    ],
    [
      'the values of environment variables to another host',
      collector(HOST, ', environmentVariables: [A]'),
      collector(OTHER, ', environmentVariables: [A]'),
      'mixed',
      ['otherHost'],
    ],
    ['no secret to another host', collector(HOST), collector(OTHER), 'mixed', []],
  ] as const)(
    'lintel diff raises the alarms $4 for telemetry of a gateway that sends %s',
    (_, before, after, classification, alarms) => {
      const [was, is] = [telemetry(before), telemetry(after)];
      expect([diffExposure(was, is).classification, alarmsOf(was, is).toSorted()]).toEqual([classification, alarms]);
    },
  );

  test.each([
    ['is added', '', '', shared(HOST), SHARED, ['newCredential']],
    ['goes to another host', shared(HOST), SHARED, shared(OTHER), SHARED, ['otherHost']],
    ['comes from another key', shared(HOST), SHARED, shared(HOST, 'admin'), SHARED, ['otherSecret']],
    ['is removed', shared(HOST), SHARED, '', '', []],
  ] as const)(
    'lintel diff raises the alarms $5 for a secret header to a telemetry collector that %s',
    (_, before, ref, after, refAfter, expected) => {
      expect(alarmsOf(telemetry(ref, before), telemetry(refAfter, after))).toEqual(expected);
    },
  );

  test('lintel diff calls a change wider that adds a metrics page without a token', () => {
    const page = '  config:\n    telemetry: { enablePrometheusMetricsPath: true }\n';
    expect(diffExposure(telemetry(''), telemetry(page)).classification).toBe('wider');
  });
});

describe('credentials of a registry server', () => {
  const registry = (sources: string, names: string): RegistryExposure =>
    compileExposure(
      `sources:\n${sources}registries: [{ name: all, sources: [${names}] }]\nauth:
  oauth:
    resourceUrl: https://registry.example.com/mcp
    providers: [{ name: people, issuerUrl: "https://login.example.com/", audience: registry }]
`,
    );
  const source = (name: string, host: string, file = '/secrets/api') =>
    `  - { name: ${name}, api: { endpoint: "https://${host}", auth: { tokenFile: ${file} } }, syncPolicy: { interval: 1h } }\n`;
  const git = (name: string, repository: string) =>
    `  - { name: ${name}, git: { repository: "${repository}", auth: { username: a, passwordFile: /secrets/git } }, syncPolicy: { interval: 1h } }\n`;
  const OWN = registry(source('a', 'a.example.com'), 'a');

  test.each([
    [
      'a new source with a credential of its own',
      registry(source('a', 'a.example.com') + source('b', 'b.example.com', '/secrets/b'), 'a, b'),
      ['newCredential'],
    ],
    [
      'a new source at another host with the credential of another source',
      registry(source('a', 'a.example.com') + source('b', 'evil.example'), 'a, b'),
      ['otherHost'],
    ],
    [
      'a renamed source at another host with the same credential',
      registry(source('b', 'evil.example'), 'b'),
      ['otherHost'],
    ],
    ['a renamed source at the same host with the same credential', registry(source('b', 'a.example.com'), 'b'), []],
  ])('lintel diff raises the alarms $2 for a registry server with %s', (_, after, expected) => {
    expect(alarmsOf(OWN, after)).toEqual(expected);
  });

  test('lintel diff raises the alarm otherHost for a registry server whose git password goes to another host', () => {
    const before = registry(git('a', 'https://git.example.com/a.git'), 'a');
    expect(alarmsOf(before, registry(git('a', 'https://evil.example/a.git'), 'a'))).toEqual(['otherHost']);
  });
});

describe('a proxy that another operator runs', () => {
  const proxy = (url: string): string => `---
apiVersion: toolhive.stacklok.dev/v1beta1
kind: MCPRemoteProxy
metadata: { name: remote }
spec:
  groupRef: { name: tools }
  remoteUrl: ${url}
  transport: streamable-http
  oidcConfigRef: { name: corp, audience: remote }
  headerForward: { addHeadersFromSecret: [{ headerName: X-H, valueSecretRef: { name: remote, key: k } }] }
`;
  const before = gatewayOf([], '', proxy('https://remote.example.com/mcp'));

  test.each([
    ['at another host', 'https://remote.evil.example/mcp', 'mixed', ['otherHost']],
    ['at another path', 'https://remote.example.com/other', 'mixed', []],
    ['the same', 'https://remote.example.com/mcp', 'equivalent', []],
  ] as const)(
    'lintel diff of a ToolHive proxy in front of a server that is %s is $2',
    (_, url, classification, alarms) => {
      const after = gatewayOf([], '', proxy(url));
      expect([diffExposure(before, after).classification, alarmsOf(before, after)]).toEqual([classification, alarms]);
    },
  );
});
