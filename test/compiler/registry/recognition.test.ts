/** Which documents are registry server configurations, and above all which are not. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { isRegistryConfig } from '../../../compiler/source/registry-config.ts';

const SOURCES = [{ name: 'a', api: { endpoint: 'https://a.example.com' } }];
const REGISTRIES = [{ name: 'main', sources: ['a'] }];
const AUTH = { mode: 'anonymous' };
const PROVIDERS = { oauth: { providers: [{ name: 'a', issuerUrl: 'https://a.example.com' }] } };

test.each<[string, unknown, whenFound: boolean, whenNamed: boolean]>([
  ['all sections', { sources: SOURCES, registries: REGISTRIES, auth: AUTH }, true, true],
  ['sources and registries', { sources: SOURCES, registries: REGISTRIES }, true, true],
  ['auth and sources next to an unknown section', { auth: AUTH, sources: SOURCES, replicas: 2 }, true, true],
  ['an issuer URL', { auth: PROVIDERS }, true, true],
  ['an issuer URL next to an unknown section', { auth: PROVIDERS, image: {} }, true, true],
  ['misspelt sections', { source: SOURCES, regstries: REGISTRIES }, true, true],
  ['sections in capitals', { Sources: SOURCES, AUTH }, true, true],
  ['auth.mode only', { auth: AUTH }, false, true],
  ['sources only', { sources: SOURCES }, false, true],
  ['one section next to an unknown section', { auth: AUTH, image: {} }, false, false],
  ['an object of Kubernetes', { apiVersion: 'v1', kind: 'X', sources: SOURCES, registries: REGISTRIES }, false, false],
  ['an object without apiVersion', { kind: 'X', sources: SOURCES, registries: REGISTRIES }, false, false],
  ['a list', [{ auth: AUTH }], false, false],
  ['null', null, false, false],
  ['sections of another shape', { sources: ['a'], registries: { npm: {} }, auth: 'oauth' }, false, false],
])(
  'lintel check recognizes a registry configuration with %s if it finds the file in a folder: $2, if the file is an argument: $3',
  (_, value, whenFound, whenNamed) => {
    expect([isRegistryConfig(value, false), isRegistryConfig(value, true)]).toEqual([whenFound, whenNamed]);
  },
);

const LOOK_ALIKES: { readonly [name: string]: string } = {
  'values of a chart': `
replicaCount: 2
image: { repository: ghcr.io/x/y, tag: v1 }
auth: { enabled: true, mode: oauth, oauth: { clientId: x, issuer: https://x.example.com } }
`,
  'values of a chart with registries': `
global: { imageRegistry: "" }
registries: [{ name: docker, url: https://docker.io }]
auth: { existingSecret: x }
`,
  'values that carry a configuration': `
config:
  sources: [{ name: a, git: { repository: x } }]
  registries: [{ name: b, sources: [a] }]
  auth: { mode: anonymous }
`,
  'a compose file': 'services: { web: { image: nginx } }\nvolumes: { data: {} }\nsecrets: { auth: { file: x } }\n',
  'a workflow':
    'on: push\njobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }\npermissions: { contents: read }\n',
  Dependabot: 'version: 2\nregistries: { npm: { type: npm-registry, url: https://x.example.com } }\nupdates: []\n',
  aqua: 'registries: [{ type: standard, ref: v4.1.0 }]\npackages: [{ name: cli/cli }]\n',
  Flutter: 'name: x\ndependencies: {}\nsources: [lib]\n',
  'package.json': '{ "name": "x", "author": "y", "sources": ["src"] }',
  'an OpenAPI document': 'openapi: 3.1.0\npaths: {}\nsecurity: [{ oauth: [] }]\n',
  nuget: 'sources: [{ name: nuget.org, url: https://api.nuget.org/v3/index.json }]\nauth: {}\n',
};

test.each(Object.entries(LOOK_ALIKES))(
  'lintel check does not take %s for a registry configuration, even if the file is an argument',
  (_, text) => {
    const read = readTexts([new SourceText('values.yaml', text)]);
    for (const named of [new Set<string>(), new Set(['values.yaml'])]) {
      const { findings, checked, registries } = compile(
        { ...read, named },
        { purpose: 'check', origin: { compilerVersion: '0.0.0', sourceRevision: null } },
      );
      expect(findings.diagnostics).toEqual([]);
      expect([checked.objects, checked.foreign, registries]).toEqual([0, 1, []]);
    }
  },
);
