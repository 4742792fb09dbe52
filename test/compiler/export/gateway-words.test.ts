// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what programs have to escape
/** `lintel export` turns settings of gateways in YAML into statements of a program. What these cannot express stays a plain spec, with the reason. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { readTexts, type Sources, SourceText } from '#compiler';
import { exportProgram } from '../../../compiler/export/index.ts';
import { runs } from '../../support/runs.ts';
import { synthesize } from '../../support/synthesize.ts';
import { typeErrors } from '../../support/type-check.ts';
import { compileMeaning, roundTrip } from './round-trip.ts';

const apiVersion = 'lintel.dev/v1beta1';
const object = (kind: string, name: string, spec: object) => ({ apiVersion, kind, metadata: { name }, spec });
const url = (name: string) => `https://${name}.example.com/mcp`;
const entry = (name: string, fields: object = {}) =>
  object('MCPServerEntry', name, {
    remoteUrl: url(name),
    transport: 'streamable-http',
    groupRef: { name: 'tools' },
    ...fields,
  });

const PERMIT = 'permit (principal in Group::"eng", action, resource);';

/** The objects to which the gateways refer. */
const OTHERS = [
  object('MCPGroup', 'tools', {}),
  object('MCPOIDCConfig', 'corp', { type: 'inline', inline: { issuer: 'https://id.example.com' } }),
  object('MCPExternalAuthConfig', 'open', { type: 'unauthenticated' }),
  object('MCPTelemetryConfig', 'otel', { prometheus: { enabled: true } }),
  object('MCPToolConfig', 'reading', { toolsFilter: ['read'] }),
  object('MCPAuthzConfig', 'shared', { type: 'cedarv1', config: { policies: [PERMIT] } }),
  object('VirtualMCPCompositeToolDefinition', 'triage', {
    name: 'triage_issues',
    description: 'Sorts issues',
    steps: [{ id: 'list', tool: 'github.search', arguments: { query: 'is:open' } }],
  }),
  entry('github'),
  entry('docs'),
  object('MCPGroup', 'others', {}),
  entry('ledger', { groupRef: { name: 'others' }, externalAuthConfigRef: { name: 'open' } }),
];

type Row = readonly [name: string, spec: object, says: readonly string[], annotations?: object];

const group = { groupRef: { name: 'tools' } };
const KEY = { name: 'keys', key: 'github' };
const anonymous = { incomingAuth: { type: 'anonymous' } };
const oidcConfigRef = { name: 'corp', audience: 'tools' };
const policies = (...texts: readonly string[]) => ({
  incomingAuth: { type: 'oidc', oidcConfigRef, authzConfig: { type: 'inline', inline: { policies: texts } } },
});
const aggregation = (fields: object) => ({ config: { aggregation: fields } });
const written = (oidc: object, authz?: object) => ({
  config: {
    incomingAuth: {
      type: 'oidc',
      oidc: { issuer: 'https://id.example.com', audience: 'tools', clientId: 'gateway', ...oidc },
      ...(authz && { authz }),
    },
  },
});

const GRANT = `@id("eng-call")
permit (
  principal in Group::"eng",
  action == Action::"call_tool",
  resource == Tool::"github_search"
);
`;

const said: readonly Row[] = [
  ['any caller', anonymous, ['incoming: Incoming.anonymous()', 'authorization: Authorization.none()']],
  ['any caller, set in spec.config', { config: { incomingAuth: { type: 'anonymous' } } }, ['Incoming.anonymous()']],
  [
    'the local user',
    { config: { incomingAuth: { type: 'local', authz: { type: 'none' } } } },
    ['incoming: Incoming.local()', 'Authorization.none()'],
  ],
  [
    'tokens of an MCPOIDCConfig',
    { incomingAuth: { type: 'oidc', oidcConfigRef } },
    ["incoming: corp.forAudience('tools')"],
  ],
  [
    'tokens of an issuer in spec.config',
    written({ scopes: ['mcp:use'], introspectionUrl: 'https://id.example.com/i', clientSecretEnv: 'SECRET' }),
    [
      'incoming: Incoming.oidc({',
      "requiredScopes: ['mcp:use']",
      "introspection: { url: 'https://id.example.com/i', clientSecretEnv: 'SECRET' }",
    ],
  ],
  [
    'policies next to an issuer in spec.config',
    written({}, { type: 'cedar', policies: [PERMIT], groupClaimName: 'teams' }),
    ["groups: { claim: 'teams' }", `addPolicy('${PERMIT}')`],
  ],
  [
    'policies in a ConfigMap, with groups',
    {
      incomingAuth: {
        type: 'oidc',
        oidcConfigRef,
        authzConfig: { type: 'configMap', configMap: { name: 'policies', key: 'a.json' }, groupClaimName: 'teams' },
      },
    },
    ["authorization: Authorization.configMap('policies', 'a.json')", "groups: { claim: 'teams' }"],
  ],
  [
    'policies in an MCPAuthzConfig',
    { incomingAuth: { type: 'oidc', oidcConfigRef, authzConfigRef: { name: 'shared' } } },
    ['authorization: Authorization.existing(shared.name)'],
  ],
  [
    'policies with entities',
    {
      incomingAuth: {
        type: 'oidc',
        oidcConfigRef,
        authzConfig: {
          type: 'inline',
          inline: {
            policies: [PERMIT],
            entitiesJson: '[{"uid":{"type":"Group","id":"eng"},"attrs":{},"parents":[{"type":"Group","id":"all"}]}]',
          },
        },
      },
    },
    ['authorization: Authorization.granted({', "uid: { type: 'Group', id: 'eng' }"],
  ],
  [
    'a policy that permits nothing',
    policies('@id("nothing-granted")\nforbid (principal, action, resource);\n'),
    ['new Gateway('],
  ],
  [
    'a grant',
    {
      ...policies(GRANT),
      ...aggregation({ defaultToolVisibility: 'deny', tools: [{ workload: 'github', filter: ['search'] }] }),
    },
    ["eng.grant(Caller.group('eng')).call(github.tool('search'));"],
  ],
  [
    'a grant of a hidden tool',
    { ...policies(GRANT), ...aggregation({ defaultToolVisibility: 'deny' }) },
    ['eng.addPolicy(cedar`\n      @id("eng-call")'],
  ],
  [
    'a grant with an id, by a renamed tool',
    {
      ...policies(GRANT.replace('eng-call', 'eng').replace('github_search', 'github_find')),
      ...aggregation({ tools: [{ workload: 'github', overrides: { search: { name: 'find' } } }] }),
    },
    [
      "eng.rename(github.tool('search'), 'find');",
      "eng.grant(Caller.group('eng'), { id: 'eng' }).call(github.tool('search'));",
    ],
  ],
  [
    'all tools that are not denied',
    aggregation({
      tools: [
        { workload: 'github', filter: ['search'] },
        { workload: 'docs', excludeAll: true },
      ],
    }),
    ["defaultToolVisibility: 'allow'", "eng.expose(github.tool('search'));", 'eng.hide(docs);'],
  ],
  ['no tool of any backend', aggregation({ excludeAllTools: true }), ['excludeAllTools: true']],
  [
    'all tools of a backend',
    aggregation({ defaultToolVisibility: 'deny', tools: [{ workload: 'docs' }] }),
    ['eng.expose(docs);'],
  ],
  [
    'tools selected by a shared MCPToolConfig',
    aggregation({ tools: [{ workload: 'docs', toolConfigRef: { name: 'reading' } }] }),
    ['eng.applyToolConfig(docs, reading);'],
  ],
  [
    'names by priority',
    aggregation({
      conflictResolution: 'priority',
      conflictResolutionConfig: { priorityOrder: ['docs', 'github'], prefixFormat: '{workload}.' },
    }),
    ["conflicts: Conflicts.priority([docs, github], { prefixFormat: '{workload}.' })"],
  ],
  [
    'names by priority of backends that the gateway lists',
    {
      outgoingAuth: { source: 'inline' },
      config: {
        backends: [{ name: 'notes', url: 'http://127.0.0.1:4501/mcp', transport: 'sse' }],
        aggregation: { conflictResolution: 'priority', conflictResolutionConfig: { priorityOrder: ['notes'] } },
      },
    },
    [
      "const notes = Backend.inline({ name: 'notes'",
      'conflicts: Conflicts.priority([notes])',
      'eng.addBackend(notes);',
    ],
  ],
  [
    'names by overrides',
    aggregation({
      conflictResolution: 'manual',
      tools: [{ workload: 'docs', overrides: { search: { name: 'find', description: 'Finds pages' } } }],
    }),
    ['Conflicts.manual()', "eng.rename(docs.tool('search'), 'find', { description: 'Finds pages' });"],
  ],
  [
    'an override of a description',
    aggregation({ tools: [{ workload: 'docs', overrides: { search: { annotations: { readOnlyHint: true } } } }] }),
    ["eng.describe(docs.tool('search'), { annotations: { readOnlyHint: true } });"],
  ],
  [
    'credentials of backends',
    {
      outgoingAuth: {
        default: { type: 'discovered' },
        backends: { docs: { type: 'externalAuthConfigRef', externalAuthConfigRef: { name: 'open' } } },
      },
    },
    ['outgoing: { default: OutgoingAuth.discovered(), backends: { docs: open } }'],
  ],
  ['outgoing source inline', { outgoingAuth: { source: 'inline' } }, ["outgoing: { source: 'inline' }"]],
  [
    'sessions and telemetry',
    {
      replicas: 2,
      sessionStorage: { provider: 'redis', address: 'redis:6379', passwordRef: { name: 'redis', key: 'password' } },
      telemetryConfigRef: { name: 'otel', serviceName: 'eng' },
    },
    [
      "sessions: Sessions.redis({ address: 'redis:6379', password: Secret.key('redis', 'password') })",
      "telemetry: otel.forService('eng')",
      'replicas: 2',
    ],
  ],
  [
    'sessions in a Redis with sentinels',
    {
      replicas: 2,
      sessionStorage: {
        provider: 'redis',
        sentinelConfig: { masterName: 'main', sentinelAddrs: ['a:26379', 'b:26379'], db: 1 },
        tls: {},
        sentinelTls: { insecureSkipVerify: true },
      },
    },
    [
      "sentinels: { masterName: 'main', sentinelAddrs: ['a:26379', 'b:26379'], db: 1 }",
      'sentinelTls: { insecureSkipVerify: true }',
    ],
  ],
  ["the gateway's own name and group in spec.config", { config: { name: 'eng', groupRef: 'tools' } }, ['new Gateway(']],
  [
    'workflows',
    {
      config: {
        compositeTools: [
          {
            name: 'report',
            description: 'Reports',
            steps: [{ id: 'find', tool: 'docs.search', arguments: { q: 'a' } }],
          },
        ],
        compositeToolRefs: [{ name: 'triage' }],
      },
    },
    ["new Workflow(eng, 'report'", "docs.tool('search')", 'eng.addOwnTool(triage);'],
  ],
  [
    'expectations',
    aggregation({ defaultToolVisibility: 'deny', tools: [{ workload: 'docs', filter: ['read'] }] }),
    [
      "eng.expect(e => e.anonymous().canCall(docs.tool('read')).reaches(1));",
      "eng.expect(e => e.caller({ groups: ['eng'] }).cannotReach('docs_drop'));",
    ],
    {
      'lintel.dev/expectations': JSON.stringify([
        { caller: 'anonymous', canCall: ['docs_read'], reaches: 1 },
        { caller: { groups: ['eng'] }, cannotReach: ['docs_drop'] },
      ]),
    },
  ],
];

const unsaid: readonly (readonly [name: string, spec: object, because: string, annotations?: object])[] = [
  ['another name in spec.config', { config: { name: 'other' } }, '`config.name` is not the name of the object.'],
  [
    'passthrough headers',
    { config: { passthroughHeaders: ['X-Trace'] } },
    'there is no prop for `config.passthroughHeaders`.',
  ],
  [
    'an outgoing strategy in spec.config',
    { config: { outgoingAuth: { source: 'discovered', default: { type: 'unauthenticated' } } } },
    'there is no prop for `config.outgoingAuth`.',
  ],
  [
    'incoming authentication in two places',
    { ...anonymous, config: { incomingAuth: { type: 'local' } } },
    '`config.incomingAuth` has no effect next to `incomingAuth`.',
  ],
  [
    'a filter without effect',
    aggregation({ tools: [{ workload: 'docs', excludeAll: true, filter: ['read'] }] }),
    '`filter` has no effect together with `excludeAll`.',
  ],
  [
    'a priority order without effect',
    aggregation({ conflictResolutionConfig: { priorityOrder: ['docs'] } }),
    '`priorityOrder` has no effect without the strategy `priority`.',
  ],
  [
    'backends that source discovered ignores',
    { config: { backends: [{ name: 'notes', url: 'http://127.0.0.1:4501/mcp', transport: 'sse' }] } },
    '`config.backends` has no effect without the source `inline`.',
  ],
  [
    'a member whose credential the gateway ignores',
    {
      groupRef: { name: 'others' },
      outgoingAuth: { source: 'inline' },
      config: { backends: [{ name: 'notes', url: 'http://127.0.0.1:4501/mcp', transport: 'sse' }] },
    },
    'the construct `Gateway` would generate a spec with another meaning.',
  ],
  [
    'a prefix without {workload}',
    aggregation({ conflictResolutionConfig: { prefixFormat: 'all_' } }),
    '`prefixFormat` does not contain `{workload}`.',
  ],
  [
    'expectations in an unusual form',
    {},
    'the annotation with the expectations does not contain a list of valid expectations.',
    {
      'lintel.dev/expectations': '{}',
    },
  ],
];

/** The sources of a gateway, with `incomingAuth` unless the case itself is about it. */
function sourcesOf(spec: object, annotations: object | undefined): Sources {
  const text = JSON.stringify(spec);
  const gateway = {
    apiVersion,
    kind: 'VirtualMCPServer',
    metadata: { name: 'eng', ...(annotations && { annotations }) },
    spec: { groupRef: { name: 'tools' }, ...(text.includes('"incomingAuth"') ? {} : anonymous), ...spec },
  };
  return readTexts([new SourceText('input/spec.yaml', [...OTHERS, gateway].map(one => stringify(one)).join('---\n'))]);
}

describe('exported gateways', () => {
  test.each(said.map(([name, spec, says, annotations]) => ({ name, spec, says, annotations })))(
    'lintel export writes a Gateway construct with calls for $name',
    row => {
      const { spec, says, annotations } = row;
      const { program, before, after } = roundTrip(sourcesOf(spec, annotations), 'sample');
      for (const words of says) expect(program).toContain(words);
      expect(program).not.toContain('Written out');
      expect(compileMeaning(after)).toEqual(compileMeaning(before));
    },
  );

  test.each(unsaid.map(([name, spec, because, annotations]) => ({ name, spec, because, annotations })))(
    'lintel export writes a plain VirtualMCPServer, and says why, for $name',
    row => {
      const { spec, because, annotations } = row;
      const { program, before, after } = roundTrip(sourcesOf(spec, annotations), 'sample');
      expect(program).toContain(`// Written out: ${because}\n    new VirtualMCPServer(`);
      expect(compileMeaning(after)).toEqual(compileMeaning(before));
    },
  );

  test("lintel export does not give a gateway a backend's credential only because another gateway configures tools of this backend", () => {
    const secret = { type: 'headerInjection', headerInjection: { headerName: 'X-Key', valueSecretRef: KEY } };
    const objects = [
      object('MCPGroup', 'tools', {}),
      object('MCPExternalAuthConfig', 'key', secret),
      // Written out, because there is no prop for finalizers.
      {
        ...entry('github', { externalAuthConfigRef: { name: 'key' } }),
        metadata: { name: 'github', finalizers: ['a/b'] },
      },
      object('VirtualMCPServer', 'first', { ...group, ...anonymous, outgoingAuth: { source: 'inline' } }),
      object('VirtualMCPServer', 'second', {
        ...group,
        ...anonymous,
        ...aggregation({ tools: [{ workload: 'github', filter: ['search'] }] }),
      }),
    ];
    const text = objects.map(one => stringify(one)).join('---\n');
    const { program, before, after } = roundTrip(readTexts([new SourceText('input/spec.yaml', text)]), 'sample');
    expect(program).toContain("second.expose(githubBackend.tool('search'));");
    expect(compileMeaning(after)).toEqual(compileMeaning(before));
  });

  test('exported programs with gateways have no type errors', () => {
    const programs = [...said, ...unsaid].map(([, spec, , annotations], index) => [
      `${index}.ts`,
      exportProgram(sourcesOf(spec, annotations), { title: 'sample' }).text,
    ]);
    expect(typeErrors(Object.fromEntries(programs))).toEqual([]);
  });
});

const PIECES = [
  '`',
  '${',
  '}',
  '\\',
  "'",
  '"',
  '//',
  '*/',
  '\n',
  '\r',
  '\t',
  '\u2028',
  '\u202e',
  '\ufeff',
  '😀',
  ' ',
  'eng',
  ';',
  '*',
];
const wild = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map(pieces => pieces.join(''));

test('lintel export keeps special characters in policies, tool names and descriptions of a gateway', () => {
  fc.assert(
    fc.property(wild, wild, wild, (policy, tool, words) => {
      const overrides = { [`a${tool}`]: { name: `b${words}`, description: words } };
      const texts = [
        `${policy}${PERMIT}\n`,
        `  ${PERMIT}\n${policy}\n`,
        GRANT.replace('eng"', `${words.replace(/["\\\n]/g, '')}"`),
      ];
      const spec = {
        ...policies(...texts),
        ...aggregation({ defaultToolVisibility: 'deny', tools: [{ workload: 'docs', overrides }] }),
      };
      const { text } = exportProgram(sourcesOf(spec, undefined), { title: 'sample' });
      expect(text).toContain('new Gateway(');
      const [chart] = synthesize(text);
      const made = parseAllDocuments(chart?.text ?? '').map(document => document.toJS());
      const gateway = made.find(({ kind }) => kind === 'VirtualMCPServer');
      expect(gateway.spec.incomingAuth.authzConfig.inline.policies).toEqual(texts);
      expect(gateway.spec.config.aggregation.tools).toEqual([{ workload: 'docs', overrides }]);
    }),
    { seed: 9, numRuns: runs(100) },
  );
});
