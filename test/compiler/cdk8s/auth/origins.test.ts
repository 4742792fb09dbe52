/** For each value of a manifest, the compiler finds the argument in the program from which it comes. */
import { ApiObject, App, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import {
  AuthServer,
  Gateway,
  Group,
  Oidc,
  OutgoingAuth,
  Registry,
  RegistryAuth,
  RegistryFile,
  RegistryProvider,
  RegistrySource,
  Secret,
  ServerFile,
  Sessions,
  Telemetry,
  Upstream,
} from '../../../../compiler/cdk8s/index.ts';
import { readOrigins } from '../../../../compiler/cdk8s/origins.ts';

/** `argument path` and line in the user's program, for the longest recorded prefix of a pointer, followed by the rest of the pointer. */
function traced(object: ApiObject, pointer: string): string {
  const fits = readOrigins(object).filter(
    origin => pointer === origin.pointer || pointer.startsWith(`${origin.pointer}/`),
  );
  const longest = fits.reduce((best, one) => (one.pointer.length >= best.pointer.length ? one : best));
  const line = /origins\.test\.ts(?:\?[^:]*)?:(\d+)/.exec(longest.callSite.stack)?.[1];
  const own = longest.callSite.stack.split('\n').find(frame => /^\s+at /.test(frame)) ?? '';
  expect(own).toContain('origins.test.ts');
  return `${Number(line)}: ${[...longest.callSite.argument, ...pointer.slice(longest.pointer.length).split('/').slice(1)].join('.')}`;
}

/** The line of the caller. */
function here(): number {
  return Number(/origins\.test\.ts(?:\?[^:]*)?:(\d+)/.exec(new Error().stack?.split('\n')[2] ?? '')?.[1]);
}

const chart = () => new Chart(new App(), 'chart');

function only(parent: IConstruct, kind: string): ApiObject {
  const found = parent.node.findAll().find(one => ApiObject.isApiObject(one) && one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found as ApiObject;
}

const client = { id: 'a', secret: Secret.key('a', 'b') };

describe('shared configurations', () => {
  test.each<[string, (parent: Chart) => unknown, string, { readonly [pointer: string]: string }]>([
    [
      'an issuer',
      parent => Oidc.inline(parent, 'a', { issuer: 'https://a', introspection: { url: 'https://a', client } }),
      'MCPOIDCConfig',
      {
        '/metadata/name': '1',
        '/spec/inline/issuer': '2.issuer',
        '/spec/inline/jwksUrl': '2.jwksUrl',
        '/spec/inline/introspectionUrl': '2.introspection.url',
        '/spec/inline/clientSecretRef': '2.introspection.client.secret',
      },
    ],
    [
      'a token exchange with a name of its own',
      parent => OutgoingAuth.tokenExchange(parent, 'a', { name: 'b', tokenUrl: 'https://a', audience: 'a', client }),
      'MCPExternalAuthConfig',
      {
        '/metadata/name': '2.name',
        '/spec/tokenExchange/tokenUrl': '2.tokenUrl',
        '/spec/tokenExchange/clientId': '2.client.id',
      },
    ],
    [
      'roles of AWS',
      parent =>
        OutgoingAuth.awsSts(parent, 'a', {
          region: 'eu-central-1',
          roles: [{ claim: 'a', role: 'arn:aws:iam::123456789012:role/a' }],
        }),
      'MCPExternalAuthConfig',
      {
        '/spec/awsSts/region': '2.region',
        '/spec/awsSts/roleMappings/0/claim': '2.roles.0.claim',
        '/spec/awsSts/roleMappings/0/roleArn': '2.roles.0.role',
      },
    ],
    [
      'telemetry',
      parent => new Telemetry(parent, 'a', { collector: { endpoint: 'a:1', traces: { samplingRate: '0.5' } } }),
      'MCPTelemetryConfig',
      {
        '/spec/openTelemetry/endpoint': '2.collector.endpoint',
        '/spec/openTelemetry/tracing/samplingRate': '2.collector.traces.samplingRate',
      },
    ],
  ])(
    'each field in the manifest of a shared configuration is traced to the argument of the program that set it: %s',
    (_, make, kind, places) => {
      const parent = chart();
      make(parent);
      const object = only(parent, kind);
      for (const [pointer, path] of Object.entries(places)) {
        expect(traced(object, pointer)).toMatch(new RegExp(`^\\d+: ${path.replaceAll('.', '\\.')}$`));
      }
    },
  );
});

test('audience, session and telemetry fields in the manifest of a gateway are traced to the arguments of the program', () => {
  const parent = chart();
  const line = here();
  const corp = Oidc.inline(parent, 'corp', { issuer: 'https://a' });
  const incoming = corp.forAudience('eng', { resourceUrl: 'https://mcp.example.com' });
  const sessions = Sessions.redis({ address: 'a:1', password: Secret.key('a', 'b') });
  const telemetry = Telemetry.existing('otel').forService('eng');
  const gateway = new Gateway(parent, 'eng', { group: new Group(parent, 'g'), incoming, sessions, telemetry });
  parent.toJson();
  const object = only(gateway, 'VirtualMCPServer');
  expect(traced(object, '/spec/incomingAuth/oidcConfigRef/audience')).toBe(`${line + 2}: 0`);
  expect(traced(object, '/spec/incomingAuth/oidcConfigRef/resourceUrl')).toBe(`${line + 2}: 1.resourceUrl`);
  expect(traced(object, '/spec/sessionStorage/address')).toBe(`${line + 3}: 0.address`);
  expect(traced(object, '/spec/sessionStorage/passwordRef/key')).toBe(`${line + 3}: 0.password.key`);
  expect(traced(object, '/spec/telemetryConfigRef/serviceName')).toBe(`${line + 4}: 0`);
});

test('authorization server fields in the manifest of a gateway are traced to the arguments of the program', () => {
  const parent = chart();
  const line = here();
  const okta = Upstream.oidc('okta', { issuer: 'https://okta.example.com', client });
  const signIn = { issuer: 'https://a', resourceUrl: 'https://mcp.example.com', upstreams: [okta] } as const;
  const incoming = new AuthServer(parent, 'sign-in', signIn);
  const gateway = new Gateway(parent, 'eng', { group: new Group(parent, 'g'), incoming });
  parent.toJson();
  const object = only(gateway, 'VirtualMCPServer');
  expect(traced(object, '/spec/authServerConfig/upstreamProviders/0/oidcConfig/issuerUrl')).toBe(
    `${line + 1}: 1.issuer`,
  );
  expect(traced(object, '/spec/authServerConfig/issuer')).toBe(`${line + 3}: 2.issuer`);
  expect(traced(object, '/spec/incomingAuth/oidcConfigRef/audience')).toBe(`${line + 3}: 2.resourceUrl`);
});

test('the configuration fields of a registry server are traced to the arguments of the program, in a file and in an MCPRegistry', () => {
  for (const [Construct, kind, at] of [
    [Registry, 'MCPRegistry', '/spec/configYAML'],
    [RegistryFile, 'RegistryConfig', ''],
  ] as const) {
    const parent = chart();
    const line = here();
    const password = ServerFile.at('/a');
    const git = RegistrySource.git('a', { repository: 'https://a', auth: { username: 'a', password }, every: '5m' });
    const corp = RegistryProvider.oidc('corp', { issuer: 'https://a', audience: 'a' });
    const auth = RegistryAuth.oauth({
      resourceUrl: 'https://a',
      providers: [corp],
      roles: { superAdmin: [{ a: 'b' }] },
    });
    const last = here();
    new Construct(parent, 'company', { registries: [{ name: 'main', sources: [git], claims: { a: 'b' } }], auth });
    const object = only(parent, kind);
    const places = {
      '/sources/0/name': `${line + 2}: 0`,
      '/sources/0/git/repository': `${line + 2}: 1.repository`,
      '/sources/0/git/auth/passwordFile': `${line + 2}: 1.auth.password`,
      '/sources/0/syncPolicy/interval': `${line + 2}: 1.every`,
      '/auth/oauth/providers/0/issuerUrl': `${line + 3}: 1.issuer`,
      '/auth/oauth/resourceUrl': `${line + 4}: 0.resourceUrl`,
      '/auth/authz/roles/superAdmin/0': `${line + 4}: 0.roles.superAdmin.0`,
      '/registries/0/claims': `${last + 1}: 2.registries.0.claims`,
    };
    for (const [pointer, place] of Object.entries(places)) expect(traced(object, `${at}${pointer}`)).toBe(place);
  }
});
