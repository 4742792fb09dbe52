import { findNearest } from '#shared/util';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * Registries must name existing sources, and every source should be used.
 *
 * @holds Registry server | `registries[].sources` | one or more, distinct, existing; every source is used | LNT2001, LNT8015
 */
export function registrySources({ document, config }: RegistryDocument): Diagnostic[] {
  const names = config.sources.map(({ name }) => name);
  const used = new Set(config.registries.flatMap(({ sources }) => sources));
  const unknown = config.registries.flatMap(({ sources }, index) =>
    sources.flatMap((source, at) => {
      if (names.includes(source)) return [];
      const near = findNearest(source, names);
      const details = near === undefined ? {} : { fix: `did you mean "${near}"?` };
      return [
        diagnose(document, 'LNT2001', ['registries', index, 'sources', at], `no source is named "${source}"`, details),
      ];
    }),
  );
  const unused = names.flatMap((name, index) =>
    used.has(name)
      ? []
      : [diagnose(document, 'LNT8015', ['sources', index, 'name'], `no registry shows the source "${name}"`)],
  );
  return [...unknown, ...unused];
}
