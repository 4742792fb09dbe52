/** The specs of constructs for registry servers pass the compiler's strictest profile. */
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import {
  Registry,
  RegistryAuth,
  RegistryFile,
  RegistryProvider,
  RegistrySource,
} from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, formatChart, seriousIn } from '../../../support/compiled-yaml.ts';

describe('registry servers', () => {
  const AUTH = RegistryAuth.oauth({
    resourceUrl: 'https://registry.example.com',
    providers: [RegistryProvider.oidc('corp', { issuer: 'https://id.example.com', audience: 'registry' })],
    roles: { superAdmin: [{ groups: ['admins'] }] },
  });
  const sources: [name: string, source: RegistrySource][] = [
    [
      'a git repository by tag',
      RegistrySource.git('s', { repository: 'https://git.example.com/a.git', tag: 'v1', every: '1h30m' }),
    ],
    [
      'a git repository by its default branch',
      RegistrySource.git('s', { repository: 'file:///srv/catalog.git', every: '5m' }),
    ],
    [
      "another registry's API",
      RegistrySource.api('s', { endpoint: 'https://registry.example', every: '1h', timeout: '5s' }),
    ],
    ['a URL', RegistrySource.url('s', { url: 'https://example.com/servers.json', every: '1h' })],
    ['a local file', RegistrySource.localFile('s', { path: '/data/servers.json', every: '30s' })],
  ];
  test.each(sources)(
    'the Registry and RegistryFile constructs compile without findings with a source of entries that is %s',
    (_, source) => {
      for (const Construct of [Registry, RegistryFile]) {
        const chart = new Chart(new App(), 'chart');
        new Construct(chart, 'company', { registries: [{ name: 'main', sources: [source] }], auth: AUTH });
        const compilation = compiledYaml(formatChart(chart), 'build');
        expect(seriousIn(compilation)).toEqual([]);
        expect(compilation.registries.map(({ bundle }) => bundle?.sources.map(({ name }) => name))).toEqual([['s']]);
      }
    },
  );

  test('the Registry construct without authentication compiles without findings', () => {
    const chart = new Chart(new App(), 'chart');
    const [[, source]] = sources as [(typeof sources)[0]];
    new Registry(chart, 'company', {
      registries: [{ name: 'main', sources: [source] }],
      auth: RegistryAuth.anonymous(),
    });
    expect(seriousIn(compiledYaml(formatChart(chart), 'build'))).toEqual([]);
  });

  test('the Registry construct with the Kubernetes source compiles with the warning LNT8028', () => {
    const chart = new Chart(new App(), 'chart');
    new Registry(chart, 'company', {
      registries: [{ name: 'main', sources: [RegistrySource.kubernetes('cluster')] }],
      auth: AUTH,
    });
    expect(seriousIn(compiledYaml(formatChart(chart), 'build'))).toEqual([expect.stringMatching(/^LNT8028 /)]);
  });
});
