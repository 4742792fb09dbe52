/** `AuthServerConfigValidated` reflects exactly the findings of the compiler's rules. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { VirtualMCPServerSpec } from '#schemas';
import { listSpecConditions } from '../../../../controller/status/index.ts';

const ISSUER = 'https://mcp.example.com';

interface Spec {
  readonly incomingAuth?: object;
  readonly authServerConfig?: object;
}

function textOf({ incomingAuth, authServerConfig }: Spec): string {
  const oidcConfigRef = { name: 'own', audience: ISSUER, resourceUrl: ISSUER };
  const objects = [
    { kind: 'MCPGroup', name: 'g', spec: {} },
    {
      kind: 'MCPServerEntry',
      name: 'jira',
      spec: { groupRef: { name: 'g' }, remoteUrl: 'https://jira.example.com/mcp', transport: 'streamable-http' },
    },
    { kind: 'MCPOIDCConfig', name: 'own', spec: { type: 'inline', inline: { issuer: ISSUER } } },
    {
      kind: 'VirtualMCPServer',
      name: 'eng',
      spec: {
        groupRef: { name: 'g' },
        incomingAuth: { type: 'oidc', oidcConfigRef, ...incomingAuth },
        authServerConfig: {
          issuer: ISSUER,
          signingKeySecretRefs: [{ name: 'keys', key: 'now' }],
          hmacSecretRefs: [{ name: 'hmac', key: 'now' }],
          upstreamProviders: [okta({})],
          ...authServerConfig,
        },
      },
    },
  ];
  return objects
    .map(({ kind, name, spec }) =>
      JSON.stringify({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name, namespace: 'a' }, spec }),
    )
    .join('\n---\n');
}

const okta = (more: object) => ({
  name: 'okta',
  type: 'oidc',
  oidcConfig: { issuerUrl: 'https://okta.example.com', clientId: 'gw', ...more },
});
const forge = (more: object) => ({
  name: 'forge',
  type: 'oauth2',
  oauth2Config: {
    authorizationEndpoint: 'https://forge.example.com/authorize',
    tokenEndpoint: 'https://forge.example.com/token',
    clientId: 'gw',
    ...more,
  },
});

function judged(spec: Spec) {
  const sources = readTexts([new SourceText('spec.yaml', textOf(spec))]);
  const { findings, gateways } = compile(sources, {
    purpose: 'build',
    origin: { sourceRevision: null, compilerVersion: 'test' },
  });
  const found = findings.all.map(({ code, severity, message, file, range, object: about, pointer }) => ({
    code,
    severity,
    message,
    file,
    line: range.start.line,
    pointer,
    ...(about && { object: `${about.kind}/${about.namespace}/${about.name}` }),
  }));
  const withServer = { authServerConfig: {} } as VirtualMCPServerSpec;
  const conditions = listSpecConditions(withServer, found, 'main@sha1:1');
  const errors = found.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  return {
    errors,
    isBuilt: gateways[0]?.bundle !== null && gateways[0]?.bundle !== undefined,
    condition: conditions.find(({ type }) => type === 'AuthServerConfigValidated'),
  };
}

test('the condition AuthServerConfigValidated is True for an authorization server without mistakes', () => {
  const { errors, isBuilt, condition } = judged({});
  expect([errors, isBuilt]).toEqual([[], true]);
  expect(condition).toMatchObject({ status: 'True', reason: 'AuthServerConfigValid' });
});

const server = (authServerConfig: object): Spec => ({ authServerConfig });

test.each<[name: string, code: string, spec: Spec, reason?: string]>([
  ['another issuer than that of the tokens', 'LNT4002', server({ issuer: 'https://other.example.com' })],
  [
    'another audience than that of the tokens',
    'LNT4003',
    { incomingAuth: { oidcConfigRef: { name: 'own', audience: 'other', resourceUrl: ISSUER } } },
  ],
  ['anonymous callers', 'LNT4010', { incomingAuth: { type: 'anonymous', oidcConfigRef: undefined } }],
  ['an unknown upstream', 'LNT4011', server({ primaryUpstreamProvider: 'oktta' }), 'AuthzUpstreamUnknown'],
  [
    'a reserved parameter',
    'LNT4013',
    server({ upstreamProviders: [okta({ additionalAuthorizationParams: { state: 'x' } })] }),
  ],
  [
    'an issuer that is trusted twice',
    'LNT4014',
    server({
      trustedIssuers: ['https://ci.example.com', 'https://ci.example.com'].map(issuerUrl => ({
        issuerUrl,
        expectedAudience: ISSUER,
        allowedDelegateClients: ['*'],
      })),
    }),
  ],
  ['a scope that no client has', 'LNT4015', server({ baselineClientScopes: ['repo'] })],
  [
    'an invalid subjectPath',
    'LNT4019',
    server({ upstreamProviders: [forge({ identityFromToken: { subjectPath: 'a..b' } })] }),
  ],
  [
    'an invalid redirect URI',
    'LNT6011',
    server({ upstreamProviders: [okta({ redirectUri: 'https://mcp.example.com/back#x' })] }),
  ],
  ['a token lifespan that is too long', 'LNT1013', server({ tokenLifespans: { accessTokenLifespan: '48h' } })],
  ['an unknown field', 'LNT1003', server({ isuer: ISSUER })],
  ['no upstream', 'LNT1010', server({ upstreamProviders: undefined })],
  ['Redis without an address', 'LNT1010', server({ storage: { type: 'redis' } })],
])(
  'the build fails and AuthServerConfigValidated is False for %s (%s)',
  (_, code, spec, reason = 'AuthServerConfigInvalid') => {
    const { errors, isBuilt, condition } = judged(spec);
    expect(errors).toContain(code);
    expect(isBuilt).toBe(false);
    expect(condition).toMatchObject({ status: 'False', reason });
    expect(errors.some(error => condition?.message.includes(error))).toBe(true);
  },
);
