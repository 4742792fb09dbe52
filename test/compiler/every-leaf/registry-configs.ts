/** The smallest configuration of a registry server in which a leaf can have an effect. */
import type { Path } from '../../support/sample.ts';

/** A source of each type. */
const SOURCES: { readonly [type: string]: object } = {
  git: { repository: 'https://git.example.com/catalog.git', branch: 'main', path: 'servers.json' },
  api: { endpoint: 'https://registry.example.com' },
  file: { path: '/srv/sample.json' },
  managed: {},
  kubernetes: {},
};

const PROVIDER = {
  name: 'people',
  issuerUrl: 'https://login.example.com',
  audience: 'registry',
  introspectionUrl: 'https://login.example.com/introspect',
  clientId: 'registry',
  clientSecretFile: '/secrets/client',
};

export function registryWith(path: Path): object {
  const [section, , part, field] = path;
  const type = section === 'sources' && typeof part === 'string' && SOURCES[part] !== undefined ? part : 'file';
  const isPage = type === 'file' && field !== 'path' && field !== undefined;
  const { branch, ...tagged } = SOURCES.git as { readonly branch: string };
  const isTagged = field === 'tag' || field === 'commit';
  const from = isPage ? { url: 'https://www.example.com/servers.json' } : isTagged ? tagged : SOURCES[type];
  const isBasic = section === 'sources' && path.includes('auth') && !path.includes('tokenFile');
  const auth = isBasic ? { auth: { username: 'me', passwordFile: '/s/p' } } : {};
  const isRead = isPage || type === 'git' || type === 'api';
  return {
    registryName: 'sample',
    sources: [{ name: 'sample', [type]: { ...from, ...auth }, ...(isRead ? { syncPolicy: { interval: '1h' } } : {}) }],
    registries: [{ name: 'sample', sources: ['sample'] }],
    telemetry: {
      enabled: true,
      endpoint: 'otel.test:4318',
      tracing: { enabled: true, sampling: 0.5 },
      metrics: { enabled: true },
    },
    audit: { enabled: true },
    auth: {
      mode: 'oauth',
      oauth: { resourceUrl: 'https://registry.example.com', providers: [PROVIDER] },
    },
  };
}
