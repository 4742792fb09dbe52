// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what programs have to escape
/** Objects of each kind with everything that their constructs can express, and with what they cannot. */
import { stringify } from 'yaml';
import { credentialRows } from './credential-rows.ts';
import { auth, type Row, secret } from './row.ts';

const config = {
  sources: [
    {
      name: 'private',
      git: { repository: 'https://git.example/a', tag: 'v1', auth: { username: 'u', passwordFile: '/etc/token' } },
      syncPolicy: { interval: '5m' },
      filter: { names: { include: ['a/*'] } },
      claims: { org: 'example', team: ['a', 'b'] },
    },
    { name: 'open', git: { repository: '/srv/git', path: 'x.json' }, syncPolicy: { interval: '1h30m' } },
    { name: 'api', api: { endpoint: 'http://registry.example', timeout: '20s' }, syncPolicy: { interval: '1h' } },
    { name: 'url', file: { url: 'https://www.example/x.json', timeout: '20s' }, syncPolicy: { interval: '1h' } },
    { name: 'mounted', file: { path: '/data/x.json' }, syncPolicy: { interval: '10s' } },
    { name: 'cluster', kubernetes: { namespaces: ['mcp'] } },
    { name: 'all', kubernetes: {} },
  ],
  // The last source is in no registry, and the first two are in another order.
  registries: [
    { name: 'eng', sources: ['open', 'private', 'api', 'url'], claims: { org: 'example' } },
    { name: 'ops', sources: ['mounted', 'cluster', 'api'] },
  ],
  auth: {
    mode: 'oauth',
    oauth: {
      resourceUrl: 'https://registry.example',
      realm: 'r',
      publicPaths: ['/registry/ops'],
      providers: [
        {
          name: 'corp',
          issuerUrl: 'https://id.example',
          audience: 'registry',
          jwksUrl: 'https://id.example/keys',
          introspectionUrl: 'https://id.example/introspect',
          clientId: 'registry',
          clientSecretFile: '/etc/secret',
          caCertPath: '/etc/ca.crt',
          authTokenFile: '/etc/token',
          allowPrivateIP: false,
        },
        {
          name: 'cluster',
          issuerUrl: 'https://oidc.example/id/1',
          audience: 'registry',
          jwksUrl: 'https://kubernetes.default.svc.cluster.local/openid/v1/jwks',
          caCertPath: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
          authTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
          allowPrivateIP: true,
        },
      ],
    },
    authz: { roles: { superAdmin: [{ groups: 'admins' }], manageEntries: [] } },
  },
  telemetry: { enabled: true, endpoint: 'otel:4318' },
  audit: { enabled: true },
};

const small = {
  sources: [{ name: 'mounted', file: { path: '/data/x.json' } }],
  registries: [{ name: 'ops', sources: ['mounted'] }],
  auth: { mode: 'anonymous' },
};

const workload = { groupRef: { name: 'elsewhere' }, externalAuthConfigRef: { name: 'token' } };

function step(fields: object) {
  return { steps: [{ id: 'search', tool: 'github.search', ...fields }] };
}

export const rows: readonly Row[] = [
  ...credentialRows,
  { name: 'group', kind: 'MCPGroup', spec: { description: 'Tools' }, says: 'new Group(' },
  {
    name: 'server',
    kind: 'MCPServer',
    spec: { ...workload, image: 'ghcr.io/example/mcp:1', transport: 'streamable-http', mcpPort: 8080 },
    says: 'Backend.server(',
  },
  {
    name: 'proxy',
    kind: 'MCPRemoteProxy',
    spec: {
      ...workload,
      remoteUrl: 'https://mcp.example/mcp',
      headerForward: {
        addPlaintextHeaders: { 'X-Team': 'eng' },
        addHeadersFromSecret: [{ headerName: 'X-Key', valueSecretRef: secret }],
      },
    },
    says: 'Backend.remote(',
  },
  {
    name: 'entry',
    kind: 'MCPServerEntry',
    spec: {
      ...workload,
      remoteUrl: 'https://mcp.example/mcp',
      transport: 'streamable-http',
      headerForward: { addHeadersFromSecret: [{ headerName: 'X-Key', valueSecretRef: secret }] },
    },
    says: 'Backend.entry(',
  },
  {
    name: 'issuer',
    kind: 'MCPOIDCConfig',
    spec: auth('inline', {
      issuer: 'https://id.example',
      jwksUrl: 'https://id.example/keys',
      introspectionUrl: 'https://id.example/introspect',
      clientId: 'c',
      clientSecretRef: secret,
      caBundleRef: { configMapRef: { name: 'ca', key: 'ca.pem' } },
      jwksAuthTokenPath: '/etc/token',
      jwksAllowPrivateIP: true,
    }),
    says: 'Oidc.inline(',
  },
  {
    name: 'issuer over http',
    kind: 'MCPOIDCConfig',
    spec: auth('inline', { issuer: 'http://id.example', insecureAllowHTTP: true }),
    says: 'Oidc.inline(',
  },
  {
    name: 'service accounts',
    kind: 'MCPOIDCConfig',
    spec: auth('kubernetesServiceAccount', { issuer: 'https://kubernetes.default.svc', useClusterAuth: false }),
    says: 'Oidc.serviceAccounts(',
  },
  {
    name: 'telemetry',
    kind: 'MCPTelemetryConfig',
    spec: {
      openTelemetry: {
        enabled: true,
        endpoint: 'otel.observability:4318',
        headers: { team: 'eng' },
        sensitiveHeaders: [{ name: 'authorization', secretKeyRef: secret }],
        resourceAttributes: { region: 'eu' },
        metrics: { enabled: true },
        tracing: { enabled: true, samplingRate: '0.10' },
        useLegacyAttributes: false,
        caBundleRef: { configMapRef: { name: 'ca', key: 'ca.crt' } },
      },
      prometheus: { enabled: false },
    },
    says: 'new Telemetry(',
  },
  {
    name: 'telemetry for Prometheus',
    kind: 'MCPTelemetryConfig',
    spec: { prometheus: { enabled: true } },
    says: 'new Telemetry(',
  },
  {
    name: 'registry',
    kind: 'MCPRegistry',
    spec: {
      configYAML: stringify(config),
      displayName: 'Company',
      volumes: [{ name: 'data', configMap: { name: 'servers' } }],
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
      podTemplateSpec: { spec: { nodeSelector: { disk: 'ssd' } } },
      imagePullSecrets: [{ name: 'pull' }],
    },
    says: 'new Registry(',
  },
  {
    name: 'registry with secrets of the cluster',
    kind: 'MCPRegistry',
    spec: {
      configYAML: stringify({
        ...small,
        sources: [
          {
            name: 'mounted',
            git: {
              repository: 'https://git.example/a',
              auth: { username: 'u', passwordFile: '/etc/lintel/secrets/git/token' },
            },
            syncPolicy: { interval: '5m' },
          },
        ],
      }),
      volumes: [
        { name: 'registry-files-0', secret: { secretName: 'git', items: [{ key: 'token', path: 'token' }] } },
        { name: 'data', configMap: { name: 'servers' } },
      ],
      volumeMounts: [
        { name: 'registry-files-0', mountPath: '/etc/lintel/secrets/git', readOnly: true },
        { name: 'data', mountPath: '/data' },
      ],
    },
    says: "Secret.key('git', 'token')",
  },
  { name: 'small registry', kind: 'MCPRegistry', spec: { configYAML: stringify(small) }, says: 'new Registry(' },

  {
    name: 'workflow',
    kind: 'VirtualMCPCompositeToolDefinition',
    spec: {
      name: 'it',
      description: 'Sorts issues',
      timeout: '20m',
      annotations: { readOnlyHint: false },
      parameters: {
        type: 'object',
        properties: {
          repo: { type: 'string' },
          urgent: { type: 'boolean' },
          labels: { type: 'array', items: { type: 'string' } },
          limit: { type: 'integer', default: 20 },
          note: { type: 'string' },
          order: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
        },
        required: ['repo', 'urgent', 'labels'],
      },
      steps: [
        {
          id: 'search',
          tool: 'github.search',
          arguments: {
            query: 'repo:{{.params.repo}} {{"{{"}}`is:open`}} ${x} {{json .params.limit}}',
            page: '{{json .params.limit}}',
            order: '{{.params.order}}',
            labels: '{{json .params.labels}}',
            fixed: { a: [1, true, { b: 'c' }] },
          },
          onError: { action: 'retry', retryCount: 2, retryDelay: '500ms' },
          timeout: '1m30s',
        },
        {
          id: 'confirm',
          type: 'elicitation',
          message: 'Really {{.params.repo}}?',
          schema: {
            type: 'object',
            properties: { reason: { type: 'string', maxLength: 9 }, silent: { type: 'boolean' } },
            required: ['reason'],
          },
          onDecline: { action: 'skip_remaining' },
          onCancel: { action: 'abort' },
          dependsOn: ['search'],
        },
        {
          id: 'each',
          type: 'forEach',
          collection: '{{json .params.labels}}',
          maxParallel: 5,
          maxIterations: 50,
          dependsOn: ['confirm'],
          condition: '{{and .params.urgent (eq .steps.confirm.status "completed") (not (gt .params.limit 3.5))}}',
          step: {
            id: 'label',
            tool: 'github.label',
            arguments: { text: '{{.forEach.item}} {{json .forEach.index}} {{.steps.confirm.output.content.reason}}' },
            onError: { action: 'retry', retryCount: 1 },
          },
        },
        {
          id: 'again',
          type: 'forEach',
          collection: '{{json .steps.search.output.items}}',
          dependsOn: ['search'],
          step: { id: 'again-item', tool: 'github.label', arguments: { text: '{{.forEach.item.title}}' } },
        },
        {
          id: 'last',
          tool: 'github.create',
          arguments: {
            text: 'of {{json .steps.again.output.count}}',
            of: '{{ .params.repo }}',
            note: '{{.params.note}}',
          },
          condition: '{{gt (fromJson (json .steps.again.output.count)) 1.0}}',
          dependsOn: ['search', 'again'],
          onError: { action: 'continue' },
        },
      ],
      output: {
        properties: {
          count: { type: 'integer', description: 'Count', value: '{{json .steps.again.output.count}}', default: 7 },
          text: { type: 'string', description: 'Text', value: 'of {{.params.repo}}' },
          note: { type: 'string', description: 'Note', value: '{{.params.note}}', default: 'none' },
          fixed: { type: 'number', description: 'Fixed', value: '7' },
          items: {
            type: 'object',
            description: 'Items',
            properties: {
              all: { type: 'array', description: 'All', value: '{{json .steps.search.output.items}}', default: [] },
            },
          },
        },
        required: ['count'],
      },
    },
    says: 'new WorkflowDefinition(',
  },
  {
    name: 'workflow whose name differs from its object',
    kind: 'VirtualMCPCompositeToolDefinition',
    spec: {
      name: 'triage_issues',
      description: 'Sorts issues',
      steps: [
        { id: 'a-b', tool: 'github.search', arguments: {} },
        { id: 'then', tool: 'github.search', dependsOn: ['a-b'], arguments: { s: '{{(index .steps "a-b").status}}' } },
      ],
    },
    says: 'new WorkflowDefinition(',
  },

  // Parts that no construct can express, each with the reason.
  ...(
    [
      ['no description', { description: undefined }, '`description` is missing.'],
      [
        'a tool under the name that clients see',
        step({ tool: 'search' }),
        'the tool `search` of a step does not have the form `backend.tool`.',
      ],
      [
        'a step before the step that it waits for',
        {
          steps: [
            { id: 'a', tool: 'x.y', dependsOn: ['b'] },
            { id: 'b', tool: 'x.y' },
          ],
        },
        '`dependsOn` of the step `a` names a step that does not come before it, or has another order than the steps.',
      ],
      [
        'template braces inside of a list',
        step({ arguments: { list: ['{{.params.x}}'] } }),
        'a list or an object in `arguments` contains a text with template braces.',
      ],
      [
        'a number as a default output',
        step({ defaultResults: { total: 0 } }),
        '`defaultResults` for a tool without a lock can only contain a `text`.',
      ],
      ['a retry without a number of attempts', step({ onError: { action: 'retry' } }), '`retryCount` is missing.'],
    ] as const
  ).map(
    ([name, spec, because]): Row => ({
      name: `workflow with ${name}`,
      kind: 'VirtualMCPCompositeToolDefinition',
      spec: { name: 'it', description: 'Sorts issues', ...step({}), ...spec },
      says: 'new VirtualMCPCompositeToolDefinition(',
      because,
    }),
  ),
  {
    name: 'token exchange into a header',
    kind: 'MCPExternalAuthConfig',
    spec: auth('tokenExchange', {
      tokenUrl: 'https://id.example/token',
      audience: 'a',
      externalTokenHeaderName: 'X-Token',
    }),
    says: 'new MCPExternalAuthConfig(',
    because: 'there is no prop for `externalTokenHeaderName`.',
  },
  {
    name: 'authorization server of a proxy',
    kind: 'MCPExternalAuthConfig',
    spec: auth('embeddedAuthServer', {
      issuer: 'https://auth.example',
      upstreamProviders: [
        { name: 'corp', type: 'oidc', oidcConfig: { issuerUrl: 'https://id.example', clientId: 'c' } },
      ],
    }),
    says: 'new MCPExternalAuthConfig(',
    because: 'there is no construct for a credential of type `embeddedAuthServer`.',
  },
  {
    name: 'service account by name',
    kind: 'MCPOIDCConfig',
    spec: auth('kubernetesServiceAccount', { serviceAccount: 'a', namespace: 'b' }),
    says: 'new MCPOIDCConfig(',
    because: 'there is no prop for `serviceAccount`.',
  },
  {
    name: 'telemetry that is off',
    kind: 'MCPTelemetryConfig',
    spec: { openTelemetry: { enabled: false, endpoint: 'otel:4318' } },
    says: 'new MCPTelemetryConfig(',
    because: '`openTelemetry` is not enabled, or it sends neither traces nor metrics.',
  },
  {
    name: 'registry with a database',
    kind: 'MCPRegistry',
    spec: { configYAML: stringify({ ...small, database: { host: 'db' } }) },
    says: 'new MCPRegistry(',
    because: 'there is no prop for `database`.',
  },
  {
    name: 'registry whose configuration has another name',
    kind: 'MCPRegistry',
    spec: { configYAML: stringify({ registryName: 'other', ...small }) },
    says: 'new MCPRegistry(',
    because: '`registryName` is not the name of the object.',
  },
  {
    name: 'workload without a group',
    kind: 'MCPServer',
    spec: { image: 'ghcr.io/example/mcp:1', transport: 'streamable-http' },
    says: 'new MCPServer(',
    because: '`groupRef` is missing, and every `Backend` belongs to a group.',
  },
  {
    name: 'kind without a construct',
    kind: 'MCPToolConfig',
    spec: { toolsFilter: ['a'] },
    says: 'new MCPToolConfig(',
  },
];
