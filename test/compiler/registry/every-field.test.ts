/** Each field of the configuration changes the bundle, or a finding names it. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Compilation } from '#compiler';
import { type Path, withoutLeaf } from '../../support/sample.ts';
import { compileConfig } from './compiling.ts';
import { configWith, leaves, smallest } from './every-field-configs.ts';

const bundleOf = ({ registries }: Compilation) => JSON.stringify(registries[0]?.bundle);

function findingsAbout({ findings }: Compilation, path: Path): boolean {
  const pointer = `/${path.join('/')}`;
  return findings.diagnostics.some(
    found =>
      found.pointer.split('/').length > 2 === path.length > 1 &&
      (found.pointer === pointer || pointer.startsWith(`${found.pointer}/`) || found.pointer.startsWith(`${pointer}/`)),
  );
}

describe('every field of RegistryConfig', () => {
  test('the schema of RegistryConfig has more than 55 fields, and a configuration without optional fields compiles', () => {
    expect(leaves.length).toBeGreaterThan(55);
    expect(compileConfig(stringify(smallest)).findings.counts.error).toBe(0);
    expect(bundleOf(compileConfig(stringify(smallest)))).not.toBe('null');
  });

  test.each(leaves.map(({ path }) => [path.join('.'), path] as const))(
    'the compiler reads the RegistryConfig field %s into the bundle, or reports it',
    (_, path) => {
      const config = configWith(path);
      const compiled = compileConfig(stringify(config));
      if (findingsAbout(compiled, path)) return;
      expect(compiled.findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const bundle = bundleOf(compiled);
      const without = path.map((_, index) => withoutLeaf(config, path.slice(0, path.length - index)));
      expect(
        without.some(other => bundleOf(compileConfig(stringify(other))) !== bundle),
        'changes the bundle or is named by a finding',
      ).toBe(true);
    },
  );
});
