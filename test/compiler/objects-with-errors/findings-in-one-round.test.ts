/** An object with structural errors shows its other findings too, and none that would disappear with the correction. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { gateway, object } from '../../support/rule.ts';

function compiled(text: string) {
  const origin = { compilerVersion: 'test', sourceRevision: null };
  return compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin });
}

/** Neither Secrets that are not in the sources, nor that the group has no members. */
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
    'a wrong type of replicas next to an invalid URL and a reference that leads nowhere',
    [
      object(
        'MCPRemoteProxy',
        '{ groupRef: { name: nowhere }, replicas: many, remoteUrl: "https://user:word@x.example.com/mcp" }',
      ),
    ],
    ['LNT1004 /spec/replicas', 'LNT2001 /spec/groupRef/name', 'LNT6011 /spec/remoteUrl'],
  ],
  [
    'a value that is not in the enum next to an upstream that is missing',
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
    'a wrong audience leaves the rest of a reference to be looked up',
    [gateway('incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: 7 } }')],
    [
      'LNT1004 /spec/incomingAuth/oidcConfigRef/audience',
      'LNT2001 /spec/incomingAuth/oidcConfigRef/name',
      'LNT4005 /spec/incomingAuth/type',
    ],
  ],
  [
    'a gateway without sign-in, for which a rule of the schema asks, next to a URL that is none',
    [gateway('config: { telemetry: { endpoint: "ftp://collector" } }')],
    [
      'LNT1005 /spec',
      ...['LNT1008', 'LNT6011'].map(code => `${code} /spec/config/telemetry/endpoint`),
      'LNT1016 /spec/config/telemetry',
    ],
  ],
  [
    'a rule of the schema is evaluated where a wrong field does not matter to it',
    [gateway('replicas: many\n  incomingAuth: { type: oidc }')],
    ['LNT1004 /spec/replicas', 'LNT1005 /spec/incomingAuth'],
  ],
  [
    'a misspelt field may be what a rule of the schema asks for',
    [gateway('replicas: 1\n  incomingAuth: { type: oidc, oidcConfgRef: { name: corp } }')],
    ['LNT1003 /spec/incomingAuth/oidcConfgRef'],
  ],
  [
    'an unknown field without a near name may be any that is not written',
    [gateway('incomingAuth: { type: oidc, zzzzzzzzzzzz: { name: corp } }')],
    ['LNT1003 /spec/incomingAuth/zzzzzzzzzzzz'],
  ],
  [
    'a wrong type of caller leaves open whether policies can tell callers apart',
    [
      gateway(
        `incomingAuth: { type: nobody, authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"] } } }`,
      ),
    ],
    ['LNT1011 /spec/incomingAuth/type'],
  ],
  [
    'what is wrong with labels leaves the spec to be judged, and the other way round',
    [
      object(
        'MCPRemoteProxy',
        '{ groupRef: { name: nowhere }, replicas: many, remoteUrl: "https://x.example.com" }',
      ).replace('{ name: it }', '{ name: it, labels: { "not a key": x } }'),
    ],
    ['LNT1019 /metadata/labels/not a key', 'LNT1004 /spec/replicas', 'LNT2001 /spec/groupRef/name'],
  ],
  [
    'two objects with errors see one another',
    [
      gateway(`replicas: many\n  ${OIDC}`),
      object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://login.example.com", jwksURL: x } }', 'corp'),
    ],
    ['LNT1004 /spec/replicas', `LNT5001 ${POLICY_PLACE}`, 'LNT1003 /spec/inline/jwksURL'],
  ],
])('%s', (_title, objects, expected) => {
  expect(found(...objects).toSorted()).toEqual([...expected].toSorted());
});

test('a field of an authorization server that is misspelt does not hide its upstream', () => {
  const findings = found(object('MCPExternalAuthConfig', UPSTREAM('allowedAudience: [x],')));
  expect(findings).toContain('LNT1003 /spec/embeddedAuthServer/allowedAudience');
  expect(findings.filter(finding => finding.includes('issuerUrl'))).not.toEqual([]);
});

test('an object with too many errors to know them all is not checked in part', () => {
  const headers = Array.from({ length: 120 }, (_, index) => `x${index}: 1`).join(', ');
  const proxy = (more: string) =>
    object('MCPRemoteProxy', `{ groupRef: { name: nowhere }, remoteUrl: "https://x.example.com", ${more} }`);
  expect(found(proxy('x1: 1'))).toContain('LNT2001 /spec/groupRef/name');
  expect(found(proxy(headers))).not.toContain('LNT2001 /spec/groupRef/name');
});

test('nothing is built of an object with errors, whatever else is found in it', () => {
  const { gateways } = compiled([GROUP, gateway('replicsa: 2\n  incomingAuth: { type: anonymous }')].join('---\n'));
  expect(gateways.map(({ bundle, exposure, model }) => [bundle, exposure(), model()])).toEqual([[null, null, null]]);
});

test('what is found in a sound object does not depend on one with errors', () => {
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
