/**
 * Every authentication method, for every kind of backend, at every place where a spec may have it: each cell gives the expected plan, or an
 * error that names the alternatives. The table is in compiler/lower/outgoing/README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Compilation, compile, readTexts, SourceText } from '#compiler';
import type { OutgoingAuthPlan, SecretSource } from '#schemas';
import { object } from '../../support/rule.ts';

const BACKENDS = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry', 'static backend'] as const;
const SOURCES = ['discovered', 'inline'] as const;
type Backend = (typeof BACKENDS)[number];
type Source = (typeof SOURCES)[number];

/** The places in a spec at which the authentication method of a backend can be chosen. */
const PLACES = ['own reference', 'spec, default', 'spec, backends', 'config, default', 'config, backends'] as const;
type Place = (typeof PLACES)[number];

interface Method {
  /** Type and block of an MCPExternalAuthConfig. */
  readonly config: string;
  /** The same as a strategy of `config.outgoingAuth`; undefined for methods that only a reference can select. */
  readonly strategy?: string;
  /** The plan of both, except for where secrets are stored; undefined for methods that gateways do not support. */
  readonly plan?: (secret: (variable: string) => SecretSource) => OutgoingAuthPlan;
}

const TOKEN_URL = 'https://id.test/token';
const ROLE = 'arn:aws:iam::123456789012:role';
const upstream = { type: 'upstream', provider: 'okta' } as const;
const MAPPINGS = `[{ claim: z, roleArn: "${ROLE}/last" }, { matcher: "'b' in claims", roleArn: "${ROLE}/second", priority: 2 }, { claim: a, roleArn: "${ROLE}/first", priority: 1 }]`;

const METHODS: { readonly [type: string]: Method } = {
  unauthenticated: {
    config: 'type: unauthenticated',
    strategy: 'type: unauthenticated',
    plan: () => ({ type: 'unauthenticated' }),
  },
  headerInjection: {
    config:
      'type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: HEADER_INJECTION_VALUE } }',
    strategy: 'type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: HEADER_INJECTION_VALUE }',
    plan: secret => ({ type: 'header_injection', header: 'X-Key', value: secret('HEADER_INJECTION_VALUE') }),
  },
  tokenExchange: {
    config: `type: tokenExchange, tokenExchange: { tokenUrl: "${TOKEN_URL}", audience: a, clientId: gw, clientSecretRef: { name: keys, key: TOKEN_EXCHANGE_CLIENT_SECRET }, scopes: [r], subjectTokenType: jwt }`,
    strategy: `type: token_exchange, tokenExchange: { tokenUrl: "${TOKEN_URL}", audience: a, clientId: gw, clientSecretEnv: TOKEN_EXCHANGE_CLIENT_SECRET, scopes: [r], subjectTokenType: jwt }`,
    plan: secret => ({
      type: 'token_exchange',
      tokenUrl: TOKEN_URL,
      client: { id: 'gw', secret: secret('TOKEN_EXCHANGE_CLIENT_SECRET') },
      audience: 'a',
      resource: null,
      scopes: ['r'],
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
      subject: upstream,
    }),
  },
  upstreamInject: {
    config: 'type: upstreamInject, upstreamInject: { providerName: okta }',
    strategy: 'type: upstream_inject, upstreamInject: { providerName: okta }',
    plan: () => ({ type: 'upstream_inject', provider: 'okta' }),
  },
  awsSts: {
    config: `type: awsSts, awsSts: { region: cn-north-1, fallbackRoleArn: "${ROLE}/any", roleMappings: ${MAPPINGS} }`,
    strategy: `type: aws_sts, awsSts: { region: cn-north-1, fallbackRoleArn: "${ROLE}/any", roleMappings: ${MAPPINGS} }`,
    plan: () => ({
      type: 'aws_sts',
      region: 'cn-north-1',
      service: 'aws-mcp',
      mappings: [
        { type: 'value', value: 'a', roleArn: `${ROLE}/first` },
        { type: 'cel', expression: "'b' in claims", roleArn: `${ROLE}/second` },
        { type: 'value', value: 'z', roleArn: `${ROLE}/last` },
      ],
      fallbackRoleArn: `${ROLE}/any`,
      roleClaim: 'groups',
      sessionDurationSeconds: 3600,
      sessionNameClaim: 'sub',
      subject: upstream,
      stsUrl: 'https://sts.cn-north-1.amazonaws.com.cn/',
    }),
  },
  obo: {
    config:
      'type: obo, obo: { tenantId: corp, clientId: gw, clientSecretRef: { name: keys, key: OBO_CLIENT_SECRET }, audience: a, cacheSkew: 1m30s }',
    strategy:
      'type: obo, obo: { tokenUrl: "https://login.microsoftonline.com/corp/oauth2/v2.0/token", clientId: gw, clientSecretEnv: OBO_CLIENT_SECRET, audience: a, cacheSkewSeconds: 90 }',
    plan: secret => ({
      type: 'obo',
      tokenUrl: 'https://login.microsoftonline.com/corp/oauth2/v2.0/token',
      client: { id: 'gw', secret: secret('OBO_CLIENT_SECRET') },
      audience: 'a',
      scopes: [],
      subject: { type: 'caller' },
      cacheSkewSeconds: 90,
    }),
  },
  xaa: {
    config: `type: xaa, xaa: { idpTokenUrl: "${TOKEN_URL}", idpClientId: gw, idpClientSecretRef: { name: keys, key: XAA_IDP_CLIENT_SECRET }, targetTokenUrl: "https://b.test", targetClientId: me, targetClientSecretRef: { name: keys, key: XAA_TARGET_CLIENT_SECRET }, targetAudience: b, targetResource: r }`,
    strategy: `type: xaa, xaa: { idpTokenUrl: "${TOKEN_URL}", idpClientId: gw, idpClientSecretEnv: XAA_IDP_CLIENT_SECRET, targetTokenUrl: "https://b.test", targetClientId: me, targetClientSecretEnv: XAA_TARGET_CLIENT_SECRET, targetAudience: b, targetResource: r }`,
    plan: secret => ({
      type: 'xaa',
      idp: { tokenUrl: TOKEN_URL, client: { id: 'gw', secret: secret('XAA_IDP_CLIENT_SECRET') } },
      target: {
        tokenUrl: 'https://b.test',
        client: { id: 'me', secret: secret('XAA_TARGET_CLIENT_SECRET') },
        audience: 'b',
        resource: 'r',
      },
      scopes: [],
      provider: 'okta',
    }),
  },
  bearerToken: { config: 'type: bearerToken, bearerToken: { tokenSecretRef: { name: keys, key: k } }' },
  embeddedAuthServer: {
    config:
      'type: embeddedAuthServer, embeddedAuthServer: { issuer: "https://auth.test", upstreamProviders: [{ name: okta, type: oidc, oidcConfig: { issuerUrl: "https://okta.test", clientId: gw } }] }',
  },
};

/** The incoming authentication of a gateway with its own authorization server. */
const SIGN_IN = `incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: "https://mcp.test", resourceUrl: "https://mcp.test" } }
  authServerConfig: { issuer: "https://auth.test", upstreamProviders: [{ name: okta, type: oidc, oidcConfig: { issuerUrl: "https://okta.test", clientId: gw } }] }`;
const TOKENS_ALONE = 'incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: "https://mcp.test" } }';

const WORKLOADS: { readonly [kind in Backend]: string | undefined } = {
  MCPServer: 'image: example.com/a:1',
  MCPRemoteProxy: 'remoteUrl: "https://b.test/mcp"',
  MCPServerEntry: 'remoteUrl: "https://b.test/mcp", transport: streamable-http',
  'static backend': undefined,
};

interface Cell {
  readonly place: Place;
  readonly type: string;
  readonly backend: Backend;
  readonly source: Source;
}

function compiled({ place, type, backend, source }: Cell, incoming = SIGN_IN): Compilation {
  const method = METHODS[type];
  const workload = WORKLOADS[backend];
  const ref = place === 'own reference' ? `, externalAuthConfigRef: { name: it.a }${guardOf(type, backend)}` : '';
  const [form, where] = place.split(', ');
  const choice =
    form === 'spec'
      ? '{ type: externalAuthConfigRef, externalAuthConfigRef: { name: it.a } }'
      : `{ ${method?.strategy ?? ''} }`;
  const choices =
    form === 'own reference' ? '' : where === 'default' ? `, default: ${choice}` : `, backends: { b: ${choice} }`;
  const outgoing = `outgoingAuth: { source: ${source}${choices} }`;
  const backends = workload === undefined ? ', backends: [{ name: b, url: "https://b.test/mcp", transport: sse }]' : '';
  const fields =
    form === 'config' ? `config: { ${outgoing}${backends} }` : `${outgoing}\n  config: { metadata: {}${backends} }`;
  const objects = [
    object('MCPGroup', '{}', 'tools'),
    object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.test" } }', 'corp'),
    object('MCPExternalAuthConfig', `{ ${method?.config} }`, 'it.a'),
    object('VirtualMCPServer', `\n  groupRef: { name: tools }\n  ${incoming}\n  ${fields}`, 'eng'),
    ...(workload === undefined ? [] : [object(backend, `{ groupRef: { name: tools }, ${workload}${ref} }`, 'b')]),
  ];
  const options = { purpose: 'language', origin: { compilerVersion: '0.0.0', sourceRevision: null } } as const;
  return compile(readTexts([new SourceText('all.yaml', objects.join('---\n'))]), options);
}

/** The incoming authentication of the proxy for a backend. Behind an authorization server, the proxy validates the tokens of that server. */
function guardOf(type: string, backend: Backend): string {
  if (type !== 'embeddedAuthServer' || backend === 'MCPServerEntry') return '';
  return ', oidcConfigRef: { name: corp, audience: "https://b.test", resourceUrl: "https://b.test" }';
}

/** How the bundle refers to secrets: by the variables that the spec names, or by the paths at which Secrets are mounted. */
function secretsOf(place: Place): (variable: string) => SecretSource {
  return variable =>
    place.startsWith('config')
      ? { env: variable, file: null }
      : { env: `LINTEL_${variable}_IT_A`, file: `/etc/lintel/secrets/keys/${variable}` };
}

/** Why a cell cannot occur: a static backend has no references and exists only with the source `inline`, and `inline` uses no workload. */
function unused({ place, backend, source }: Cell): string | undefined {
  if (backend === 'static backend' && (place === 'own reference' || source === 'discovered')) return '–';
  return place === 'own reference' && source === 'inline' ? 'not read' : undefined;
}

const errorsOf = ({ findings }: Compilation) => findings.diagnostics.filter(({ severity }) => severity === 'error');

function planOf({ gateways }: Compilation): OutgoingAuthPlan | undefined {
  const [found] = gateways[0]?.backends?.() ?? [];
  return (found?.plan as { readonly auth?: OutgoingAuthPlan } | undefined)?.auth;
}

const rows = PLACES.flatMap(place =>
  Object.entries(METHODS)
    .filter(([, { strategy }]) => !place.startsWith('config') || strategy !== undefined)
    .map(([type]) => ({ place, type })),
);
const cells: readonly Cell[] = rows.flatMap(row =>
  BACKENDS.flatMap(backend => SOURCES.map(source => ({ ...row, backend, source }))),
);

describe('outgoing credentials by place, type, backend and source', () => {
  test.each(cells.map(cell => [Object.values(cell).join(' / '), cell] as const))(
    'a backend gets the credential that is configured, or the compiler gives an error: %s',
    (_, cell) => {
      const found = compiled(cell);
      const why = unused(cell);
      if (why === '–') return;
      const plan = METHODS[cell.type]?.plan;
      if (why === 'not read') {
        expect(errorsOf(found)).toEqual([]);
        expect(planOf(found)).toEqual({ type: 'unauthenticated' });
      } else if (plan !== undefined) {
        expect(errorsOf(found)).toEqual([]);
        expect(planOf(found)).toEqual(plan(secretsOf(cell.place)));
      } else {
        const [error, ...more] = errorsOf(found);
        expect(more).toEqual([]);
        expect(error?.code).toBe('LNT2003');
        expect(error?.fix).toContain(
          'headerInjection, tokenExchange, upstreamInject, awsSts, obo, xaa or unauthenticated',
        );
        expect(planOf(found)).toBeUndefined();
      }
    },
  );
});

test("without an authorization server, upstreamInject and xaa are errors, and tokenExchange and awsSts exchange the caller's token", () => {
  const outcome = (type: string) => {
    const found = compiled(
      { place: 'config, default', type, backend: 'MCPServerEntry', source: 'inline' },
      TOKENS_ALONE,
    );
    const plan = planOf(found);
    return errorsOf(found)[0]?.code ?? (plan && 'subject' in plan ? plan.subject : plan?.type);
  };
  expect(
    Object.fromEntries(
      Object.keys(METHODS)
        .slice(0, -2)
        .map(type => [type, outcome(type)]),
    ),
  ).toEqual({
    unauthenticated: 'unauthenticated',
    headerInjection: 'header_injection',
    tokenExchange: { type: 'caller' },
    upstreamInject: 'LNT6006',
    awsSts: { type: 'caller' },
    obo: { type: 'caller' },
    xaa: 'LNT6006',
  });
});

test('the table in compiler/lower/outgoing/README.md agrees with the compiled credentials', () => {
  const head = BACKENDS.flatMap(backend => SOURCES.map(source => `${backend}, ${source}`));
  const table = [
    ['written in', 'type', ...head],
    ['---', '---', ...head.map(() => '---')],
    ...rows.map(row => [
      row.place,
      `\`${row.type}\``,
      ...BACKENDS.flatMap(backend =>
        SOURCES.map(source => {
          const cell = { ...row, backend, source };
          const found = compiled(cell);
          return unused(cell) ?? errorsOf(found)[0]?.code ?? `\`${planOf(found)?.type}\``;
        }),
      ),
    ]),
  ].map(row => `| ${row.join(' | ')} |`);
  const file = 'compiler/lower/outgoing/README.md';
  const text = readFileSync(file, 'utf8');
  const [before = ''] = text.split('| written in');
  const expected = `${before}${table.join('\n')}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, expected);
  else expect(text).toBe(expected);
});
