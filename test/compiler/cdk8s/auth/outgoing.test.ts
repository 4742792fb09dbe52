/** The specs of constructs for backend credentials pass the compiler's strictest profile. */
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { Backend, Group, OutgoingAuth, type OutgoingStrategy, ProxyAuth } from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, formatChart, seriousIn } from '../../../support/compiled-yaml.ts';
import { CLIENT, gatewayWith, type Made, SECRET } from './gateway-with.ts';

type EntryHeaders = NonNullable<Parameters<typeof Backend.entry>[2]['headers']>;

describe('outgoing credentials', () => {
  const cases: [type: string, outgoing: Made<OutgoingStrategy>, block: object | undefined][] = [
    [
      'tokenExchange',
      chart =>
        OutgoingAuth.tokenExchange(chart, 'auth', {
          tokenUrl: 'https://id.example.com/token',
          audience: 'github',
          client: CLIENT,
          scopes: ['repo'],
          subjectTokenType: 'jwt',
        }),
      {
        tokenUrl: 'https://id.example.com/token',
        audience: 'github',
        clientId: 'gateway',
        clientSecretRef: { name: 'keys', key: 'client' },
        scopes: ['repo'],
        subjectTokenType: 'jwt',
      },
    ],
    [
      'headerInjection',
      chart => OutgoingAuth.header(chart, 'auth', { header: 'X-Key', value: SECRET }),
      { headerName: 'X-Key', valueSecretRef: { name: 'keys', key: 'one' } },
    ],
    [
      'awsSts',
      chart =>
        OutgoingAuth.awsSts(chart, 'auth', {
          region: 'eu-central-1',
          roles: [
            { claim: 'analysts', role: 'arn:aws:iam::012345678901:role/reader', priority: 1 },
            { matcher: '"ops" in claims["groups"]', role: 'arn:aws:iam::012345678901:role/writer' },
          ],
          fallbackRole: 'arn:aws:iam::012345678901:role/none',
          sessionDuration: 900,
        }),
      {
        region: 'eu-central-1',
        roleMappings: [
          { claim: 'analysts', roleArn: 'arn:aws:iam::012345678901:role/reader', priority: 1 },
          { matcher: '"ops" in claims["groups"]', roleArn: 'arn:aws:iam::012345678901:role/writer' },
        ],
        fallbackRoleArn: 'arn:aws:iam::012345678901:role/none',
        sessionDuration: 900,
      },
    ],
    [
      'obo',
      chart =>
        OutgoingAuth.onBehalfOf(chart, 'auth', {
          tenantId: 'corp.example',
          client: CLIENT,
          scopes: ['https://graph.microsoft.com/Mail.Read'],
          cacheSkew: '30s',
        }),
      {
        tenantId: 'corp.example',
        clientId: 'gateway',
        clientSecretRef: { name: 'keys', key: 'client' },
        scopes: ['https://graph.microsoft.com/Mail.Read'],
        cacheSkew: '30s',
      },
    ],
    ['unauthenticated', chart => OutgoingAuth.unauthenticated(chart, 'auth'), undefined],
  ];
  test.each(cases)(
    'OutgoingAuth writes an MCPExternalAuthConfig, and the gateway refers to it: %s',
    (type, outgoing, block) => {
      const { serious, spec } = gatewayWith({ outgoing });
      expect(serious).toEqual([]);
      expect(spec('MCPExternalAuthConfig')).toEqual(block === undefined ? { type } : { type, [type]: block });
      expect(spec('VirtualMCPServer').outgoingAuth.backends).toEqual({
        github: { type: 'externalAuthConfigRef', externalAuthConfigRef: { name: 'auth' } },
      });
    },
  );

  test('OutgoingAuth.upstreamInject without an authorization server gives LNT6006, and OutgoingAuth.crossApp writes the field xaa', () => {
    const { serious } = gatewayWith({
      outgoing: chart => OutgoingAuth.upstreamInject(chart, 'auth', { provider: 'github' }),
    });
    expect(serious.map(text => text.slice(0, 7))).toEqual(['LNT6006']);
    const { spec } = gatewayWith({
      outgoing: chart =>
        OutgoingAuth.crossApp(chart, 'auth', {
          idp: { tokenUrl: 'https://id.example.com/token', client: CLIENT },
          target: { tokenUrl: 'https://wiki.example/token', audience: 'https://wiki.example', client: CLIENT },
          subjectProvider: 'corp',
        }),
    });
    expect(spec('MCPExternalAuthConfig').xaa).toEqual({
      idpTokenUrl: 'https://id.example.com/token',
      idpClientId: 'gateway',
      idpClientSecretRef: { name: 'keys', key: 'client' },
      targetTokenUrl: 'https://wiki.example/token',
      targetClientId: 'gateway',
      targetClientSecretRef: { name: 'keys', key: 'client' },
      targetAudience: 'https://wiki.example',
      subjectProviderName: 'corp',
    });
  });

  test('OutgoingAuth.existing refers to an MCPExternalAuthConfig by its name, and OutgoingAuth.discovered writes the type discovered', () => {
    const existing = gatewayWith({ outgoing: () => OutgoingAuth.existing('shared') });
    expect(existing.spec('VirtualMCPServer').outgoingAuth.backends.github).toEqual({
      type: 'externalAuthConfigRef',
      externalAuthConfigRef: { name: 'shared' },
    });
    const { serious, spec } = gatewayWith({ outgoing: () => OutgoingAuth.discovered() });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').outgoingAuth.backends.github).toEqual({ type: 'discovered' });
  });

  test('ProxyAuth.bearerToken writes an MCPExternalAuthConfig of type bearerToken', () => {
    const chart = new Chart(new App(), 'chart');
    ProxyAuth.bearerToken(chart, 'token', { token: SECRET });
    expect(seriousIn(compiledYaml(formatChart(chart)))).toEqual([]);
    expect(chart.toJson()[0].spec).toEqual({
      type: 'bearerToken',
      bearerToken: { tokenSecretRef: { name: 'keys', key: 'one' } },
    });
  });
});

test.each<[what: string, headers: EntryHeaders, forwarded: object]>([
  ['plain headers', { 'X-Tenant': 'eng' }, { addPlaintextHeaders: { 'X-Tenant': 'eng' } }],
  [
    'headers from Secrets',
    { 'X-Key': SECRET },
    { addHeadersFromSecret: [{ headerName: 'X-Key', valueSecretRef: { name: 'keys', key: 'one' } }] },
  ],
  ['no headers', {}, {}],
])('Backend.entry writes headers into headerForward: %s', (_, headers, forwarded) => {
  const chart = new Chart(new App(), 'chart');
  const props = { remoteUrl: 'https://github.example.com/mcp', transport: 'streamable-http' } as const;
  Backend.entry(chart, 'github', { ...props, group: new Group(chart, 'tools'), headers });
  const entry = chart.toJson().find(({ kind }) => kind === 'MCPServerEntry');
  expect(entry.spec.headerForward).toEqual(forwarded);
});
