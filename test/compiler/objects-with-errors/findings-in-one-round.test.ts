/** An object with structural errors shows its other findings too, and none that would disappear with the correction. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { gateway, object } from '../../support/rule.ts';

function compiled(text: string) {
  const origin = { compilerVersion: 'test', sourceRevision: null };
  return compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin });
}

/** Codes that do not matter here: of Secrets that are not in the sources, and of groups without members. */
const BESIDES: readonly string[] = ['LNT2004', 'LNT2007'];

/** Findings as `LNT1003 /spec/replicsa`. */
function found(...objects: readonly string[]): string[] {
  const { findings } = compiled([GROUP, ...objects].join('---\n'));
  return findings.diagnostics
    .filter(({ code }) => !BESIDES.includes(code))
    .map(({ code, pointer }) => `${code} ${pointer}`);
}

const GROUP = object('MCPGroup', '{}', 'tools');
const BROKEN_POLICY = '{ type: inline, inline: { policies: ["permit(principal, action;"] } }';
const POLICY_PLACE = '/spec/incomingAuth/authzConfig/inline/policies/0';
const OIDC = `incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: api }, authzConfig: ${BROKEN_POLICY} }`;
const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://login.example.com" } }', 'corp');
const UPSTREAM = (more: string) => `{
  type: embeddedAuthServer,
  embeddedAuthServer: {
    issuer: "https://auth.example.com",
    ${more}
    upstreamProviders: [{ name: corp, type: oidc, oidcConfig: { issuerUrl: "ftp://login.example.com", clientId: x } }]
  }
}`;

test.each<[title: string, objects: readonly string[], expected: readonly string[]]>([
  [
    'a misspelt field next to a policy that does not parse',
    [gateway(`replicsa: 2\n  ${OIDC}`), CORP],
    ['LNT1003 /spec/replicsa', `LNT5001 ${POLICY_PLACE}`],
  ],
  [
    'a wrong type of replicas next to an invalid URL and a reference to a missing object',
    [
      object(
        'MCPRemoteProxy',
        '{ groupRef: { name: nowhere }, replicas: many, remoteUrl: "https://user:word@x.example.com/mcp" }',
      ),
    ],
    ['LNT1004 /spec/replicas', 'LNT2001 /spec/groupRef/name', 'LNT6011 /spec/remoteUrl'],
  ],
  [
    'an unknown enum value next to a missing upstream',
    [
      gateway(`serviceType: Everywhere
  incomingAuth: { type: anonymous }
  config:
    outgoingAuth:
      source: inline
      default: { type: upstream_inject, upstreamInject: { providerName: github } }`),
    ],
    ['LNT1011 /spec/serviceType', 'LNT6006 /spec/config/outgoingAuth/default/upstreamInject/providerName'],
  ],
  [
    'a wrong type of audience next to a missing referenced object',
    [gateway('incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: 7 } }')],
    [
      'LNT1004 /spec/incomingAuth/oidcConfigRef/audience',
      'LNT2001 /spec/incomingAuth/oidcConfigRef/name',
      'LNT4005 /spec/incomingAuth/type',
    ],
  ],
  [
    'a missing field that a CEL rule requires next to an invalid URL',
    [gateway('config: { telemetry: { endpoint: "ftp://collector" } }')],
    [
      'LNT1005 /spec',
      ...['LNT1008', 'LNT6011'].map(code => `${code} /spec/config/telemetry/endpoint`),
      'LNT1016 /spec/config/telemetry',
    ],
  ],
  [
    'a CEL rule that does not depend on the wrong field',
    [gateway('replicas: many\n  incomingAuth: { type: oidc }')],
    ['LNT1004 /spec/replicas', 'LNT1005 /spec/incomingAuth'],
  ],
  [
    'no CEL rule about a field that may be the misspelt field',
    [gateway('replicas: 1\n  incomingAuth: { type: oidc, oidcConfgRef: { name: corp } }')],
    ['LNT1003 /spec/incomingAuth/oidcConfgRef'],
  ],
  [
    'no CEL rule about a field that may be the unknown field',
    [gateway('incomingAuth: { type: oidc, zzzzzzzzzzzz: { name: corp } }')],
    ['LNT1003 /spec/incomingAuth/zzzzzzzzzzzz'],
  ],
  [
    'no finding about policies if the type of callers is wrong',
    [
      gateway(
        `incomingAuth: { type: nobody, authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"] } } }`,
      ),
    ],
    ['LNT1011 /spec/incomingAuth/type'],
  ],
  [
    'errors in labels and in the spec',
    [
      object(
        'MCPRemoteProxy',
        '{ groupRef: { name: nowhere }, replicas: many, remoteUrl: "https://x.example.com" }',
      ).replace('{ name: it }', '{ name: it, labels: { "not a key": x } }'),
    ],
    ['LNT1019 /metadata/labels/not a key', 'LNT1004 /spec/replicas', 'LNT2001 /spec/groupRef/name'],
  ],
  [
    'findings about two objects that refer to each other',
    [
      gateway(`replicas: many\n  ${OIDC}`),
      object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://login.example.com", jwksURL: x } }', 'corp'),
    ],
    ['LNT1004 /spec/replicas', `LNT5001 ${POLICY_PLACE}`, 'LNT1003 /spec/inline/jwksURL'],
  ],
])('lintel check reports all findings of objects with errors at once: %s', (_title, objects, expected) => {
  expect(found(...objects).toSorted()).toEqual([...expected].toSorted());
});

test('a misspelt field of an authorization server does not hide findings about its upstream provider', () => {
  const findings = found(object('MCPExternalAuthConfig', UPSTREAM('allowedAudience: [x],')));
  expect(findings).toContain('LNT1003 /spec/embeddedAuthServer/allowedAudience');
  expect(findings.filter(finding => finding.includes('issuerUrl'))).not.toEqual([]);
});

test('lintel check skips the rules for an object with more errors than it can attribute to fields', () => {
  const headers = Array.from({ length: 120 }, (_, index) => `x${index}: 1`).join(', ');
  const proxy = (more: string) =>
    object('MCPRemoteProxy', `{ groupRef: { name: nowhere }, remoteUrl: "https://x.example.com", ${more} }`);
  expect(found(proxy('x1: 1'))).toContain('LNT2001 /spec/groupRef/name');
  expect(found(proxy(headers))).not.toContain('LNT2001 /spec/groupRef/name');
});

test('the compiler makes no bundle, no exposure report and no model of a gateway with an error', () => {
  const { gateways } = compiled([GROUP, gateway('replicsa: 2\n  incomingAuth: { type: anonymous }')].join('---\n'));
  expect(gateways.map(({ bundle, exposure, model }) => [bundle, exposure(), model()])).toEqual([[null, null, null]]);
});

test('findings about an object without errors stay the same if another object has errors', () => {
  const proxy = (name: string, more = '') =>
    object(
      'MCPRemoteProxy',
      `{ groupRef: { name: tools }, remoteUrl: "https://${name}.example.com", oidcConfigRef: { name: corp, audience: same }${more} }`,
      name,
    );
  const shared = 'LNT4007 /spec/oidcConfigRef/audience';
  const all = [proxy('a'), proxy('b'), CORP];
  expect(found(...all)).toContain(shared);
  // The audience of the third one is unknown, so it may have come first; the other two are an error in any case.
  expect(found(...all, proxy('c', ', oidcConfgRef: 7'))).toContain(shared);
});
