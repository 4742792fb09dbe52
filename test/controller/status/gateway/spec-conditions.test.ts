/** Broken specs through the real compiler, and the condition that each one changes. */
import { describe, expect, test } from 'vitest';
import { compile, type Diagnostic, readTexts, SourceText } from '#compiler';
import type { VirtualMCPServerSpec } from '#schemas';
import type { FoundDiagnostic } from '../../../../controller/compile/index.ts';
import { createCondition } from '../../../../controller/status/gateway/spec-conditions.ts';
import { listSpecConditions } from '../../../../controller/status/index.ts';
import { gateway, object } from '../../../support/rule.ts';

const MEMBER = object(
  'MCPServerEntry',
  '{ remoteUrl: "https://api.example.com/mcp", transport: streamable-http, groupRef: { name: tools } }',
  'api',
);
const AROUND = `${object('MCPGroup', '{}', 'tools')}---\n${MEMBER}`;
const ANONYMOUS = 'incomingAuth: { type: anonymous }';

function diagnosticsOf(...objects: readonly string[]): readonly FoundDiagnostic[] {
  const sources = readTexts([new SourceText('all.yaml', [AROUND, ...objects].join('---\n'))]);
  const origin = { sourceRevision: null, compilerVersion: 'test' };
  return compile(sources, { purpose: 'build', origin }).findings.all.map(found);
}

function found({ code, severity, message, file, range, object: about, pointer }: Diagnostic): FoundDiagnostic {
  const named = about && { object: `${about.kind}/${about.namespace}/${about.name}` };
  return { code, severity, message, file, line: range.start.line, pointer, ...named };
}

/** Conditions that differ from those of a valid gateway. */
function wrong(...objects: readonly string[]): readonly string[] {
  return listSpecConditions({} as VirtualMCPServerSpec, diagnosticsOf(...objects), 'main@sha1:1')
    .filter(({ type, status }) => status === 'False' && !ADVISORY.includes(type))
    .map(({ type, reason }) => `${type} ${reason}`);
}

const ADVISORY = ['SessionStorageWarning', 'IdentitySynthesized'];

const OIDC = 'incomingAuth: { type: oidc, oidcConfigRef: { name: login, audience: eng } }';
const ISSUER = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://id.example.com" } }', 'login');

test.each<[name: string, objects: readonly string[], expected: readonly string[]]>([
  ['no mistake', [gateway(ANONYMOUS)], []],
  [
    'a missing group',
    [gateway(ANONYMOUS).replace('name: tools', 'name: tolls')],
    ['GroupRefValidated GroupRefNotFound'],
  ],
  [
    'an invalid pod template',
    [gateway(`${ANONYMOUS}\n  podTemplateSpec: { spec: { containers: {} } }`)],
    ['PodTemplateSpecValid InvalidPodTemplateSpec'],
  ],
  [
    'a missing workflow',
    [gateway(`${ANONYMOUS}\n  config: { compositeToolRefs: [{ name: triage }] }`)],
    ['CompositeToolRefsValidated CompositeToolRefNotFound'],
  ],
  [
    'a broken workflow',
    [
      gateway(`${ANONYMOUS}\n  config: { compositeToolRefs: [{ name: triage }] }`),
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: triage, description: d, steps: [{ id: a, type: tool, tool: api.x, dependsOn: [b] }] }',
        'triage',
      ),
    ],
    ['CompositeToolRefsValidated CompositeToolRefInvalid'],
  ],
  ['a missing MCPOIDCConfig', [gateway(OIDC)], ['OIDCConfigRefValidated OIDCConfigRefNotFound']],
  [
    'an invalid MCPOIDCConfig',
    [gateway(OIDC), object('MCPOIDCConfig', '{ type: inline }', 'login')],
    ['OIDCConfigRefValidated OIDCConfigRefNotValid'],
  ],
  [
    'a missing MCPAuthzConfig',
    [gateway(OIDC.replace(/ \}$/, ', authzConfigRef: { name: rules } }')), ISSUER],
    ['AuthzConfigRefValidated AuthzConfigRefNotFound'],
  ],
  [
    'a missing MCPTelemetryConfig',
    [gateway(`${ANONYMOUS}\n  telemetryConfigRef: { name: otel }`)],
    ['TelemetryConfigRefValidated TelemetryConfigRefNotFound'],
  ],
  [
    'a missing ConfigMap of policies',
    [gateway(OIDC.replace(/ \}$/, ', authzConfig: { type: configMap, configMap: { name: rules } } }')), ISSUER],
    ['AuthConfigured AuthzConfigMapNotFound'],
  ],
  [
    'a missing MCPExternalAuthConfig',
    [
      gateway(
        `${ANONYMOUS}\n  outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: key } } }`,
      ),
    ],
    ['AuthConfigured AuthInvalid'],
  ],
  ['an unknown field', [gateway(`${ANONYMOUS}\n  replica: 2`)], ['Valid ValidationFailed']],
  [
    'two mistakes at once',
    [gateway(`${ANONYMOUS}\n  telemetryConfigRef: { name: otel }`).replace('name: tools', 'name: tolls')],
    ['GroupRefValidated GroupRefNotFound', 'TelemetryConfigRefValidated TelemetryConfigRefNotFound'],
  ],
])('a mistake in a spec makes exactly the conditions about this mistake False: %s', (_, objects, expected) => {
  expect(wrong(...objects)).toEqual(expected);
});

describe('which apply', () => {
  const types = (spec: object) =>
    listSpecConditions(spec as VirtualMCPServerSpec, [], 'r').map(
      ({ type, status, reason }) => `${type}=${status} ${reason}`,
    );
  const ALWAYS = [
    'GroupRefValidated=True GroupRefValid',
    'AuthConfigured=True AuthValid',
    'Valid=True ValidationSucceeded',
  ];
  const NO_STORAGE = 'SessionStorageWarning=False SessionStorageWarningNotApplicable';

  test.each<[name: string, spec: object, more: readonly string[]]>([
    ['a small gateway', {}, [NO_STORAGE]],
    ['a pod template', { podTemplateSpec: {} }, ['PodTemplateSpecValid=True PodTemplateSpecValid', NO_STORAGE]],
    [
      'references to workflows',
      { config: { compositeToolRefs: [{ name: 'a' }] } },
      ['CompositeToolRefsValidated=True CompositeToolRefsValid', NO_STORAGE],
    ],
    ['an empty list of references to workflows', { config: { compositeToolRefs: [] } }, [NO_STORAGE]],
    [
      'references to an issuer and policies',
      { incomingAuth: { oidcConfigRef: { name: 'a' }, authzConfigRef: { name: 'b' } } },
      [
        'OIDCConfigRefValidated=True OIDCConfigRefValid',
        'AuthzConfigRefValidated=True AuthzConfigRefValid',
        NO_STORAGE,
      ],
    ],
    [
      'a reference to a telemetry config',
      { telemetryConfigRef: { name: 'a' } },
      ['TelemetryConfigRefValidated=True TelemetryConfigRefValid', NO_STORAGE],
    ],
    [
      'an authorization server of its own',
      { authServerConfig: {} },
      [
        'AuthServerConfigValidated=True AuthServerConfigValid',
        'IdentitySynthesized=False AllUpstreamsHaveUserInfo',
        NO_STORAGE,
      ],
    ],
    [
      'sessions in Redis',
      { sessionStorage: { provider: 'redis' } },
      ['SessionStorageWarning=False SessionStorageConfigured'],
    ],
  ])('the status has exactly the conditions that apply to the spec: %s', (_, spec, more) => {
    expect(types(spec).toSorted()).toEqual([...ALWAYS, ...more].toSorted());
  });
});

describe('advice', () => {
  const advice = (code: string): FoundDiagnostic => ({ code, severity: 'warning', message: 'said' });

  test.each([
    ['LNT4016', 'SessionStorageWarning', 'SessionStorageMissingForReplicas'],
    ['LNT4012', 'AuthzUpstreamSelectionWarning', 'AuthzUpstreamAutoSelected'],
    ['LNT4023', 'IdentitySynthesized', 'OAuth2UpstreamWithoutUserInfo'],
  ])('the finding %s gives the condition %s=True with reason %s, and Valid stays True', (code, type, reason) => {
    const spec = { authServerConfig: {} } as unknown as VirtualMCPServerSpec;
    const said = listSpecConditions(spec, [advice(code)], 'r');
    expect(said).toContainEqual({ type, status: 'True', reason, message: 'said' });
    expect(said.find(one => one.type === 'Valid')?.status).toBe('True');
  });

  test('a gateway with two replicas and sessions in memory gets the condition SessionStorageWarning', () => {
    const diagnostics = diagnosticsOf(gateway(`${ANONYMOUS}\n  replicas: 2`));
    expect(listSpecConditions({} as VirtualMCPServerSpec, diagnostics, 'r')).toContainEqual(
      expect.objectContaining({ type: 'SessionStorageWarning', status: 'True' }),
    );
  });
});

test('the message of a condition has the first error with its file and line, the number of further errors, and the revision', () => {
  const errors = diagnosticsOf(gateway(`${ANONYMOUS}\n  replica: 2\n  rep: 1`));
  const valid = listSpecConditions({} as VirtualMCPServerSpec, errors, 'main@sha1:1').find(
    ({ type }) => type === 'Valid',
  );
  expect(valid?.message).toMatch(/^all\.yaml:\d+: LNT1003: unknown field "replica".* \(\+1 more\) \(main@sha1:1\)$/);
});

test.each<[name: string, finding: Partial<FoundDiagnostic>, expected: string]>([
  ['a group without members', { code: 'LNT2007', pointer: '/spec/groupRef/name' }, 'Valid ValidationFailed'],
  [
    'a field whose name begins like groupRef',
    { code: 'LNT1003', pointer: '/spec/groupRefs' },
    'Valid ValidationFailed',
  ],
  [
    'an unknown upstream provider',
    { code: 'LNT4011', pointer: '/spec/incomingAuth' },
    'AuthServerConfigValidated AuthzUpstreamUnknown',
  ],
  [
    'an error in authServerConfig',
    { code: 'LNT1003', pointer: '/spec/authServerConfig/issuer' },
    'AuthServerConfigValidated AuthServerConfigInvalid',
  ],
  [
    'policies in a ConfigMap',
    { code: 'LNT5001', object: 'ConfigMap/a/rules', pointer: '/data/x' },
    'AuthConfigured AuthzConfigMapInvalid',
  ],
  [
    'a missing ConfigMap',
    { code: 'LNT2001', pointer: '/spec/incomingAuth/authzConfig/configMap/name' },
    'AuthConfigured AuthzConfigMapNotFound',
  ],
  [
    'an MCPExternalAuthConfig',
    { code: 'LNT1010', object: 'MCPExternalAuthConfig/a/key' },
    'AuthConfigured AuthInvalid',
  ],
  [
    'an MCPServerEntry',
    { code: 'LNT6011', object: 'MCPServerEntry/a/api', pointer: '/spec/remoteUrl' },
    'Valid ValidationFailed',
  ],
  [
    'the groupRef of an MCPServer',
    { code: 'LNT2001', object: 'MCPServer/a/api', pointer: '/spec/groupRef/name' },
    'Valid ValidationFailed',
  ],
  ['a file that cannot be read', { code: 'LNT1001' }, 'Valid ValidationFailed'],
])('an error belongs to exactly one condition of the gateway: %s', (_, finding, expected) => {
  const { type, reason } = createCondition({ code: 'LNT1003', severity: 'error', message: 'm', ...finding });
  expect(`${type} ${reason}`).toBe(expected);
});
