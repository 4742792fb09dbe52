import { describe, expect, it } from 'vitest';
import { findMountedSecret, toMountedSecret } from '../../../compiler/resolve/mounted-secret.ts';
import { listFeatures, listSecrets } from '../../../compiler/resolve/requirements.ts';
import type { BackendPlan, OutgoingAuthPlan, TokenProviderPlan } from '../../../schemas/index.ts';

type Plan = Parameters<typeof listFeatures>[0];

const OPEN: Plan = {
  incomingAuth: { type: 'anonymous' },
  authorization: { engine: 'none', policyCount: 0 },
  passthroughHeaders: [],
  backends: [],
  operational: {
    logLevel: 'info',
    partialFailure: 'best_effort',
    health: { intervalMs: 30_000, timeoutMs: 10_000, unhealthyThreshold: 3 },
  },
};

const AUDIT: Plan['audit'] = {
  component: 'eng',
  eventTypes: [],
  excludeEventTypes: [],
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataBytes: 1024,
  maxDelegationDepth: 10,
  file: null,
};

function backend(name: string, auth: OutgoingAuthPlan, headers: BackendPlan['headers'] = []): BackendPlan {
  return {
    name,
    url: 'https://mcp.example.com/mcp',
    transport: 'streamable-http',
    addresses: 'public',
    timeoutMs: 1000,
    auth,
    headers,
    metadata: {},
    tools: { prefix: `${name}_`, advertise: { type: 'all' }, overrides: {} },
  };
}

function provider(parts: Partial<TokenProviderPlan>): Plan['incomingAuth'] {
  return {
    type: 'oidc',
    realm: 'https://id.example.com',
    requiredScopes: [],
    resourceMetadata: null,
    providers: [
      {
        name: 'corp',
        issuer: 'https://id.example.com',
        audience: 'mcp',
        keys: { type: 'jwks', url: 'https://id.example.com/keys' },
        keysToken: null,
        introspection: null,
        trust: { type: 'default' },
        addresses: 'public',
        allowsHttp: false,
        ...parts,
      },
    ],
  };
}

const SECRET = toMountedSecret({ name: 'corp', key: 'client.secret' }, 'LINTEL_SECRET');
const CLIENT = { id: 'gateway', secret: SECRET };

describe('required runtime features', () => {
  it.each<[string, Partial<Plan>, readonly string[]]>([
    ['aggregation only', {}, ['aggregation']],
    ['an audit log', { audit: AUDIT }, ['aggregation', 'audit']],
    ['a local user', { incomingAuth: { type: 'local' } }, ['aggregation', 'incoming-local']],
    ['token authentication', { incomingAuth: provider({}) }, ['aggregation', 'incoming-oidc']],
    [
      'opaque tokens',
      {
        incomingAuth: provider({
          introspection: { url: 'https://id.example.com/introspect', credentials: { type: 'none' } },
        }),
      },
      ['aggregation', 'incoming-oidc', 'introspection'],
    ],
    [
      'Cedar policies',
      {
        authorization: {
          engine: 'cedar',
          policyCount: 1,
          policies: [{ id: 'policy0', name: 'policy0', text: 'permit(principal, action, resource);' }],
          entities: [],
          server: 'gateway',
          groupType: 'Group',
          groupClaims: ['groups'],
          roleClaim: null,
          multiValuedClaims: [],
        },
      },
      ['aggregation', 'cedar'],
    ],
    [
      'pinned tools',
      { backends: [{ ...backend('a', { type: 'unauthenticated' }), pinned: { tools: {} } }] },
      ['aggregation', 'pinned-tools'],
    ],
    ['passthrough headers', { passthroughHeaders: ['x-trace'] }, ['aggregation', 'passthrough-headers']],
    [
      'two credential strategies',
      {
        backends: [
          backend('a', { type: 'upstream_inject', provider: 'corp' }),
          backend('b', { type: 'upstream_inject', provider: 'corp' }, [
            { name: 'x-a', value: { type: 'text', text: 'a' } },
          ]),
          backend('c', { type: 'unauthenticated' }),
        ],
      },
      ['aggregation', 'header-forward', 'outgoing-upstream_inject'],
    ],
  ])('a bundle requires only the runtime features that it uses: %s', (_, parts, features) => {
    expect(listFeatures({ ...OPEN, ...parts })).toEqual(features);
  });
});

describe('the secrets of a bundle', () => {
  it('a bundle without Secret references lists no secrets', () => {
    expect(
      listSecrets({ ...OPEN, incomingAuth: provider({}), backends: [backend('a', { type: 'unauthenticated' })] }),
    ).toEqual([]);
  });

  it('a bundle lists the secrets of authentication and headers, sorted by file and variable', () => {
    const exchange: OutgoingAuthPlan = {
      type: 'token_exchange',
      tokenUrl: 'https://id.example.com/token',
      client: CLIENT,
      audience: null,
      resource: null,
      scopes: [],
      subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token',
      subject: { type: 'caller' },
    };
    const secrets = listSecrets({
      ...OPEN,
      incomingAuth: provider({
        keysToken: { env: null, file: '/var/run/token' },
        introspection: {
          url: 'https://id.example.com/introspect',
          credentials: { type: 'basic', clientId: 'gateway', secret: SECRET },
        },
      }),
      backends: [
        backend('jira', exchange),
        backend('wiki', { type: 'header_injection', header: 'x-key', value: { env: 'WIKI_KEY', file: null } }, [
          { name: 'x-team', value: { type: 'secret', from: toMountedSecret({ name: 'team', key: 'id' }, null) } },
        ]),
      ],
    });
    expect(secrets).toEqual([
      { use: 'header value of header_injection for backend "wiki"', env: 'WIKI_KEY', file: null, secret: null },
      {
        use: 'client secret for introspection at identity provider "corp", client secret of token_exchange for backend "jira"',
        env: 'LINTEL_SECRET',
        file: '/etc/lintel/secrets/corp/client.secret',
        secret: { name: 'corp', key: 'client.secret' },
      },
      {
        use: 'header "x-team" for backend "wiki"',
        env: null,
        file: '/etc/lintel/secrets/team/id',
        secret: { name: 'team', key: 'id' },
      },
      { use: 'token for the keys of identity provider "corp"', env: null, file: '/var/run/token', secret: null },
    ]);
  });

  it.each([
    ['/etc/lintel/secrets/a/b', { name: 'a', key: 'b' }],
    ['/etc/lintel/secrets/a', null],
    ['/etc/lintel/secrets/a/b/c', null],
    ['/etc/other/a/b', null],
    [null, null],
  ])('findMountedSecret finds that the secret file %j is mounted from the Secret and key %j', (file, secret) => {
    expect(findMountedSecret({ env: 'X', file })).toEqual(secret);
  });
});
