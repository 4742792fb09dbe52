/** Each field of the configuration changes the bundle, or a finding names it. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Compilation } from '#compiler';
import { FILE_SCHEMAS } from '#schemas';
import { leavesOf, type Path, withLeaf, withoutLeaf } from '../../support/sample.ts';
import { compileConfig } from './compiling.ts';

const schema = FILE_SCHEMAS.RegistryConfig;

const smallest = {
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

/** What has to be away, or there, for a field to be valid and to mean something. */
const BASES: readonly (readonly [path: string, base: object])[] = [
  ['sources.0.git', { ...smallest, sources: [GIT_SOURCE] }],
  ['sources.0.file', withoutLeaf(smallest, ['sources', 0, 'api']) as object],
  ['sources.0.managed', withoutLeaf(smallest, ['sources', 0, 'api']) as object],
  ['sources.0.kubernetes', withoutLeaf(smallest, ['sources', 0, 'api']) as object],
];

const bundleOf = ({ registries }: Compilation) => JSON.stringify(registries[0]?.bundle);

function findingsAbout({ findings }: Compilation, path: Path): boolean {
  const pointer = `/${path.join('/')}`;
  return findings.diagnostics.some(
    found =>
      found.pointer.split('/').length > 2 === path.length > 1 &&
      (found.pointer === pointer || pointer.startsWith(`${found.pointer}/`) || found.pointer.startsWith(`${pointer}/`)),
  );
}

const leaves = leavesOf(schema);

describe('every field of RegistryConfig', () => {
  test('the list of fields is the whole schema, and the smallest configuration is valid', () => {
    expect(leaves.length).toBeGreaterThan(55);
    expect(compileConfig(stringify(smallest)).findings.counts.error).toBe(0);
    expect(bundleOf(compileConfig(stringify(smallest)))).not.toBe('null');
  });

  test.each(leaves.map(({ path }) => [path.join('.'), path] as const))('%s', (name, path) => {
    const [, base = smallest] = BASES.find(([prefix]) => name.startsWith(prefix)) ?? [];
    const config = withLeaf(schema, base, path);
    const compiled = compileConfig(stringify(config));
    if (findingsAbout(compiled, path)) return;
    expect(compiled.findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const without = path
      .map((_, index) => withoutLeaf(config, path.slice(0, path.length - index)))
      .map(other => bundleOf(compileConfig(stringify(other))));
    expect(
      without.some(other => other !== bundleOf(compiled)),
      'changes the bundle or is named by a finding',
    ).toBe(true);
  });
});
