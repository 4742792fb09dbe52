/** A registry server configuration with any single field. */
import { FILE_SCHEMAS } from '#schemas';
import { listLeaves, type Path, withLeaf, withoutLeaf } from '../../support/sample.ts';

const schema = FILE_SCHEMAS.RegistryConfig;

export const smallest: object = {
  sources: [{ name: 'sample', api: { endpoint: 'https://sample.example.com' }, syncPolicy: { interval: '1h' } }],
  registries: [{ name: 'sample', sources: ['sample'] }],
  auth: {
    oauth: {
      resourceUrl: 'https://sample.example.com',
      providers: [
        {
          name: 'sample',
          issuerUrl: 'https://login.example.com',
          introspectionUrl: 'https://login.example.com/introspect',
          audience: 'sample',
        },
      ],
    },
  },
};

const GIT_SOURCE = {
  name: 'sample',
  git: { repository: 'https://sample.example.com' },
  syncPolicy: { interval: '1h' },
};

/** What has to be absent or present for a field to be valid and to have an effect. */
const BASES: readonly (readonly [path: string, base: object])[] = [
  ['sources.0.git', { ...smallest, sources: [GIT_SOURCE] }],
  ['sources.0.file', withoutLeaf(smallest, ['sources', 0, 'api']) as object],
  ['sources.0.managed', withoutLeaf(smallest, ['sources', 0, 'api']) as object],
  ['telemetry', { ...smallest, telemetry: { enabled: true, tracing: { enabled: true }, metrics: { enabled: true } } }],
  ['sources.0.kubernetes', withoutLeaf(smallest, ['sources', 0, 'api']) as object],
];

export const leaves: readonly { readonly path: Path }[] = listLeaves(schema);

/** The smallest configuration in which the field can have an effect, with a sample of it. */
export function configWith(path: Path): unknown {
  const [, base = smallest] = BASES.find(([prefix]) => path.join('.').startsWith(prefix)) ?? [];
  return withLeaf(schema, base, path);
}
