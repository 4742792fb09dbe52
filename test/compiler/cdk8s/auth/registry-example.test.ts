import { readFileSync } from 'node:fs';
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  CaBundle,
  Registry,
  RegistryAuth,
  type RegistryConfigProps,
  RegistryFile,
  RegistryProvider,
  RegistrySource,
  Secret,
  ServerFile,
} from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, digestOfBundle, formatChart, seriousIn } from '../../../support/compiled-yaml.ts';

const EXAMPLE = readFileSync(new URL('../../../../examples/registry/registry.yaml', import.meta.url), 'utf8');

/** `examples/registry`, written with intent-level constructs. */
function company(): RegistryConfigProps {
  const internal = RegistrySource.git('internal', {
    repository: 'https://git.example.com/platform/mcp-catalog.git',
    branch: 'main',
    path: 'catalog/servers.json',
    auth: { username: 'registry', password: ServerFile.at('/etc/lintel/registry/git-token') },
    every: '5m',
    filter: { tags: { exclude: ['experimental'] } },
    claims: { org: 'example' },
  });
  const upstream = RegistrySource.api('upstream', {
    endpoint: 'https://registry.modelcontextprotocol.io',
    timeout: '20s',
    every: '1h',
    filter: { names: { include: ['io.github.modelcontextprotocol/*', 'com.example/*'], exclude: ['*/*-preview'] } },
    claims: { org: 'example' },
  });
  const published = RegistrySource.url('published', {
    url: 'https://www.example.com/.well-known/mcp-servers.json',
    every: '15m',
  });
  return {
    registries: [
      { name: 'engineering', sources: [internal, upstream], claims: { org: 'example', team: ['platform', 'backend'] } },
      { name: 'open', sources: [published] },
    ],
    auth: RegistryAuth.oauth({
      resourceUrl: 'https://mcp-registry.example.com',
      realm: 'example-registry',
      publicPaths: ['/registry/open'],
      providers: [
        RegistryProvider.oidc('company', {
          issuer: 'https://login.example.com/realms/example',
          audience: 'https://mcp-registry.example.com',
          introspection: {
            url: 'https://login.example.com/realms/example/protocol/openid-connect/token/introspect',
            client: { id: 'mcp-registry', secret: ServerFile.at('/etc/lintel/registry/client-secret') },
          },
        }),
        RegistryProvider.cluster('cluster', { audience: 'mcp-registry' }),
      ],
      roles: { superAdmin: [{ groups: 'registry-admins' }] },
    }),
  };
}

const chart = () => new Chart(new App(), 'company');

describe('examples/registry in TypeScript', () => {
  test('the RegistryFile construct written for examples/registry compiles to the same bundle as the YAML file of the example', () => {
    const inCode = chart();
    new RegistryFile(inCode, 'company', company());
    const compilation = compiledYaml(formatChart(inCode), 'build');
    expect(seriousIn(compilation)).toEqual([]);
    const [file] = compiledYaml(EXAMPLE, 'build').registries;
    const [registry] = compilation.registries;
    expect(registry?.bundle).toEqual(file?.bundle);
    expect(digestOfBundle(registry?.bundle)).toBe(digestOfBundle(file?.bundle));
  });

  test('the Registry construct written for examples/registry compiles to the same bundle as an MCPRegistry around the YAML file', () => {
    const inCode = chart();
    new Registry(inCode, 'company', company());
    const around = stringify({
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'MCPRegistry',
      metadata: { name: 'company' },
      spec: { configYAML: EXAMPLE },
    });
    const [inYaml] = compiledYaml(around, 'build').registries;
    const compilation = compiledYaml(formatChart(inCode), 'build');
    expect(seriousIn(compilation)).toEqual([]);
    expect(digestOfBundle(compilation.registries[0]?.bundle)).toBe(digestOfBundle(inYaml?.bundle));
  });
});

test('the Registry construct mounts the Secret keys that its configuration refers to, each Secret once and no other keys', () => {
  const inCode = chart();
  const source = RegistrySource.git('internal', {
    repository: 'https://git.example.com/catalog.git',
    auth: { username: 'registry', password: Secret.key('registry', 'git-token') },
    every: '5m',
  });
  const provider = RegistryProvider.oidc('company', {
    issuer: 'https://login.example.com',
    audience: 'registry',
    introspection: {
      url: 'https://login.example.com/introspect',
      client: { id: 'registry', secret: Secret.key('registry', 'client-secret') },
    },
    ca: CaBundle.configMap('corp-ca'),
  });
  new Registry(inCode, 'company', {
    registries: [{ name: 'main', sources: [source] }],
    auth: RegistryAuth.oauth({ resourceUrl: 'https://registry.example.com', providers: [provider], roles: {} }),
    displayName: 'Company',
    volumes: [{ name: 'own', emptyDir: {} }],
  });
  const [{ spec }] = inCode.toJson();
  const config = parse(spec.configYAML);
  expect(config.sources[0].git.auth).toEqual({
    username: 'registry',
    passwordFile: '/etc/lintel/secrets/registry/git-token',
  });
  expect(config.auth.oauth.providers[0]).toMatchObject({
    clientSecretFile: '/etc/lintel/secrets/registry/client-secret',
    caCertPath: '/etc/lintel/ca-bundles/corp-ca/ca.crt',
  });
  expect(spec.volumes).toEqual([
    { name: 'registry-files-0', configMap: { name: 'corp-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      name: 'registry-files-1',
      secret: {
        secretName: 'registry',
        items: [
          { key: 'client-secret', path: 'client-secret' },
          { key: 'git-token', path: 'git-token' },
        ],
      },
    },
    { name: 'own', emptyDir: {} },
  ]);
  expect(spec.volumeMounts).toEqual([
    { name: 'registry-files-0', mountPath: '/etc/lintel/ca-bundles/corp-ca', readOnly: true },
    { name: 'registry-files-1', mountPath: '/etc/lintel/secrets/registry', readOnly: true },
  ]);
});

test('the Registry construct quotes a claim that YAML would read as an octal number', () => {
  const inCode = chart();
  const source = RegistrySource.url('a', { url: 'https://example.com/a.json', every: '5m', claims: { org: '0o17' } });
  new Registry(inCode, 'company', {
    registries: [{ name: 'main', sources: [source], claims: { org: '0o17' } }],
    auth: RegistryAuth.oauth({
      resourceUrl: 'https://registry.example.com',
      providers: [RegistryProvider.oidc('corp', { issuer: 'https://login.example.com', audience: 'registry' })],
      roles: {},
    }),
  });
  const [registry] = compiledYaml(formatChart(inCode), 'build').registries;
  expect(registry?.bundle?.registries[0]).toMatchObject({ claims: { org: ['0o17'] } });
});
