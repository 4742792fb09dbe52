/** Constructs refuse props that no spec can express, with a message at the line that passes them. */
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import {
  CaBundle,
  httpsUrl,
  Oidc,
  OutgoingAuth,
  Registry,
  RegistryAuth,
  RegistryFile,
  RegistryProvider,
  RegistrySource,
  Secret,
  ServerFile,
} from '../../../../compiler/cdk8s/index.ts';
import { SECRET } from './gateway-with.ts';

describe('refused props', () => {
  const chart = () => new Chart(new App(), 'chart');
  const [source] = [RegistrySource.url('s', { url: 'https://example.com/a.json', every: '1h' })];
  const cases: [name: string, write: () => unknown, message: string][] = [
    ['an empty audience', () => Oidc.existing('corp').forAudience(''), 'the audience is empty'],
    [
      'a header of the connection for a credential',
      () => OutgoingAuth.header(chart(), 'key', { header: 'Host', value: SECRET }),
      'the header "Host" of "key" cannot carry a credential',
    ],
    [
      'a Secret reference without a key',
      () => Secret.key('keys', ''),
      'a reference to a Secret needs its name and one of its keys',
    ],
    [
      'a CA bundle whose ConfigMap name is too long',
      () => CaBundle.configMap('c'.repeat(49)),
      'more than 48 characters',
    ],
    ['a token endpoint over http', () => httpsUrl('http://id.example.com'), 'expected a complete https URL'],
    ['a URL with credentials', () => httpsUrl('https://u:p@id.example.com'), 'must not carry credentials'],
    [
      'a registry source with an invalid name',
      () => RegistrySource.kubernetes('A b'),
      '"A b" is not a valid name of a source',
    ],
    [
      'an absolute path of a project file',
      () => RegistrySource.projectFile('s', { path: '/data/servers.json' }),
      'use RegistrySource.localFile',
    ],
    [
      'a registry role without claims',
      () =>
        RegistryAuth.oauth({
          resourceUrl: 'https://registry.example.com',
          providers: [RegistryProvider.cluster('c', { audience: 'registry' })],
          roles: { manageEntries: [{}] },
        }),
      'an entry of the role manageEntries names no claims',
    ],
    [
      'two registry sources of one name',
      () =>
        new Registry(chart(), 'company', {
          registries: [{ name: 'main', sources: [source, RegistrySource.kubernetes('s')] }],
          auth: RegistryAuth.anonymous(),
        }),
      'two sources are named "s"',
    ],
    [
      'a Secret of a cluster in a registry file',
      () =>
        new RegistryFile(chart(), 'company', {
          registries: [{ name: 'main', sources: [source] }],
          auth: RegistryAuth.oauth({
            resourceUrl: 'https://registry.example.com',
            providers: [
              RegistryProvider.oidc('c', {
                issuer: 'https://id.example.com',
                audience: 'registry',
                authToken: Secret.key('keys', 'token'),
              }),
            ],
          }),
        }),
      'give its path with ServerFile.at, or use Registry',
    ],
  ];
  test.each(cases)('a construct throws at %s', (_, write, message) => {
    expect(write).toThrow(message);
  });
});

test('ServerFile.at keeps the given path of a file unchanged', () => {
  expect(ServerFile.at('/etc/token').path).toBe('/etc/token');
});
