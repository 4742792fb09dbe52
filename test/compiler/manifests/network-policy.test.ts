/** The NetworkPolicy permits pods to connect to the DNS service and to the addresses in their bundle. */
import { describe, expect, test } from 'vitest';
import { resolveEgress } from '../../../compiler/emit/manifests/index.ts';
import { ENTRY, gatewayText, manifestsFor, only, registryText } from './build.ts';

const inNamespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });

const PUBLIC = [
  {
    ipBlock: {
      cidr: '0.0.0.0/0',
      except: [
        ...['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'],
        ...['168.63.129.16/32', '192.0.0.192/32', '169.254.0.0/16'],
      ],
    },
  },
  { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
];

const PRIVATE = [
  {
    ipBlock: {
      cidr: '0.0.0.0/0',
      except: ['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32', '169.254.0.0/16'],
    },
  },
  { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128', 'fe80::/10'] } },
];

test.each<[url: string, addresses: 'any' | 'private' | 'public', to: unknown, ports: unknown]>([
  ['https://mcp.example.com/mcp', 'public', PUBLIC, [443]],
  ['http://mcp.example.com:8000/mcp', 'private', PRIVATE, [8000]],
  ['http://mcp.corp.internal', 'any', PRIVATE, [80]],
  ['http://10.1.2.3:9000/mcp', 'any', [{ ipBlock: { cidr: '10.1.2.3/32' } }], [9000]],
  ['https://[2001:db8::1]/mcp', 'public', [{ ipBlock: { cidr: '2001:db8::1/128' } }], [443]],
  ['https://[::ffff:10.1.2.3]/mcp', 'public', [{ ipBlock: { cidr: '10.1.2.3/32' } }], [443]],
  ['http://redis.cache.svc.cluster.local:6379', 'any', [inNamespace('cache')], null],
  ['http://redis.cache.svc:6379', 'any', [inNamespace('cache')], null],
  ['http://redis.cache.svc.cluster.local.:6379', 'any', [inNamespace('cache')], null],
  ['http://a.b.cache.svc.cluster.local', 'any', [inNamespace('cache')], null],
  ['http://redis:6379', 'any', [inNamespace('own')], null],
  // A public name that looks like one of the cluster.
  ['https://x.svc.cluster.local.example.com', 'public', PUBLIC, [443]],
  ['https://kubernetes.default.svc', 'any', PRIVATE, [443, 6443]],
  ['https://kubernetes.default.svc.cluster.local/x', 'any', PRIVATE, [443, 6443]],
])(
  'for a backend at %s that may have %s addresses, the network policy allows connections to %j',
  (url, addresses, to, ports) => {
    expect(resolveEgress({ url, addresses }, 'own')).toEqual({ to, ports });
  },
);

test.each<[url: string, to: unknown]>([
  ['redis://sentinels.cache.svc.cluster.local:26379', [inNamespace('cache')]],
  ['redis://10.1.2.3:26379', [{ ipBlock: { cidr: '10.1.2.3/32' } }]],
  ['redis://sentinel.example.com:26379', PRIVATE],
])(
  'the network policy allows every port at the Redis sentinels %s, because the Redis primary that they name may use any port',
  (url, to) => {
    expect(resolveEgress({ url, addresses: 'any', isAnyPort: true }, 'own')).toEqual({ to, ports: null });
  },
);

test("the network policy allows the port of a backend's Service and of its pods", () => {
  const url = 'http://mcp-a-proxy.team.svc.cluster.local:8080/mcp';
  expect(resolveEgress({ url, addresses: 'any', isPodPort: true }, 'own')).toEqual({
    to: [inNamespace('team')],
    ports: [8080, 4483],
  });
});

test.each([
  'http://localhost:1',
  'http://api.localhost',
  'http://127.0.0.1:1',
  'http://[::1]:1',
  'nonsense',
  'file:///x',
])('the network policy has no rule for the URL %s', url => {
  expect(resolveEgress({ url, addresses: 'any' }, 'own')).toBeUndefined();
});

interface Rule {
  readonly to?: unknown;
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}

/** The rules after those for the name service. */
function rulesOf(text: string): readonly Rule[] {
  const { egress, policyTypes } = only(manifestsFor(text), 'NetworkPolicy').spec as {
    readonly egress: readonly Rule[];
    readonly policyTypes: unknown;
  };
  expect(policyTypes).toEqual(['Egress']);
  expect(egress[0]).toEqual({
    ports: [
      { port: 53, protocol: 'TCP' },
      { port: 53, protocol: 'UDP' },
    ],
  });
  return egress.slice(2);
}

const tcp = (...ports: readonly number[]) => ports.map(port => ({ port, protocol: 'TCP' }));

const OIDC = `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: idp, namespace: mcp }
spec: { type: inline, inline: { issuer: "https://idp.example.com", introspectionUrl: "https://introspect.idp.svc.cluster.local:8443/x", jwksAllowPrivateIP: true } }
`;

const ACCOUNTS = `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: idp, namespace: mcp }
spec: { type: kubernetesServiceAccount, kubernetesServiceAccount: {} }
`;

const IDP = 'incomingAuth: { type: oidc, oidcConfigRef: { name: idp, audience: a } }';

const SERVER = `apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: notes, namespace: mcp }
spec: { image: notes, proxyPort: 8123, groupRef: { name: tools } }
`;

describe('policies of gateways', () => {
  test('the network policy of a gateway allows a backend outside of the cluster', () => {
    expect(rulesOf(gatewayText())).toEqual([{ to: PUBLIC, ports: tcp(443) }]);
  });

  test("the network policy of a gateway allows a backend's proxy in the cluster at its known ports", () => {
    expect(rulesOf(gatewayText({ objects: [SERVER] }))).toEqual([
      { to: PUBLIC, ports: tcp(443) },
      { to: [inNamespace('mcp')], ports: tcp(4483, 8123) },
    ]);
  });

  test('the network policy of a gateway has one rule for backends that may have the same addresses', () => {
    const other = ENTRY.replace('name: github', 'name: other').replace('example.com', 'example.org:8443');
    expect(rulesOf(gatewayText({ objects: [other] }))).toEqual([{ to: PUBLIC, ports: tcp(443, 8443) }]);
  });

  test('the network policy of a gateway allows identity providers, and every port of an introspection endpoint in the cluster', () => {
    expect(rulesOf(gatewayText({ objects: [OIDC], spec: IDP }))).toEqual([
      { to: PUBLIC, ports: tcp(443) },
      { to: PRIVATE, ports: tcp(443) },
      { to: [inNamespace('idp')] },
    ]);
  });

  test('the network policy of a gateway allows the API server if the API server authenticates callers', () => {
    expect(rulesOf(gatewayText({ objects: [ACCOUNTS], spec: IDP }))).toEqual([
      { to: PUBLIC, ports: tcp(443) },
      { to: PRIVATE, ports: tcp(443, 6443) },
    ]);
  });

  test('the network policy of a gateway allows the token endpoint of a credential, also at a private address', () => {
    const spec = `outgoingAuth:
  source: inline
  backends:
    github:
      type: externalAuthConfigRef
      externalAuthConfigRef: { name: exchange }
`;
    const exchange = `apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: exchange, namespace: mcp }
spec: { type: tokenExchange, tokenExchange: { tokenUrl: "https://token.corp.example:9443/t", audience: b } }
`;
    const backends =
      'config: { backends: [{ name: github, url: "https://github.example.com", transport: streamable-http }] }\n';
    const text = gatewayText({ objects: [OIDC, exchange], spec: `${IDP}\n${spec}${backends}` });
    // What the platform team named may be anywhere.
    expect(rulesOf(text)).toContainEqual({ to: PRIVATE, ports: tcp(443, 9443) });
  });

  const collected = (env: string, audit = 'audit: { enabled: true }') => `config:
  ${audit}
podTemplateSpec: { spec: { containers: [{ name: vmcp, env: [{ name: LINTEL_AUDIT_OTLP_ENDPOINT, ${env} }] }, { name: other, image: other, env: [{ name: LINTEL_AUDIT_OTLP_ENDPOINT, value: "http://192.0.2.1" }] }] } }
`;

  test('the network policy of a gateway allows the audit collector that the pod template names', () => {
    const value = 'value: "https://collector.observe.svc.cluster.local:4318"';
    expect(rulesOf(gatewayText({ spec: collected(value) }))).toEqual([
      { to: PUBLIC, ports: tcp(443) },
      { to: [inNamespace('observe')] },
    ]);
  });

  test.each<[what: string, env: string, audit: string]>([
    ['from a Secret', 'valueFrom: { secretKeyRef: { name: a, key: b } }', 'audit: { enabled: true }'],
    ['without an audit log', 'value: "http://192.0.2.1"', 'audit: { enabled: false }'],
  ])('the network policy of a gateway allows no audit collector %s', (_what, env, audit) => {
    expect(rulesOf(gatewayText({ spec: collected(env, audit) }))).toEqual([{ to: PUBLIC, ports: tcp(443) }]);
  });
});

test('the network policy of a registry server allows connections to the sources of its entries', () => {
  expect(rulesOf(registryText())).toEqual([{ to: PRIVATE, ports: tcp(443) }]);
});

test('lintel build writes no NetworkPolicy if the annotation lintel.dev/network-policy or the option disables it', () => {
  const kinds = (text: string, settings = {}) => manifestsFor(text, settings).map(({ kind }) => kind);
  expect(kinds(gatewayText({ annotations: '{ lintel.dev/network-policy: disabled }' }))).not.toContain('NetworkPolicy');
  expect(kinds(gatewayText(), { networkPolicy: false })).not.toContain('NetworkPolicy');
  expect(kinds(registryText(), { networkPolicy: false })).not.toContain('NetworkPolicy');
});
