import type { RegistrySource } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';

export const SOURCE_TYPES = ['git', 'api', 'file', 'managed', 'kubernetes'] as const;

/**
 * The source's block decides its type, so exactly one must exist.
 *
 * @holds Registry server | `sources[]` | exactly one type | LNT1010, LNT1021
 * @holds Registry server | `sources[].managed` | not without a database | LNT8016
 * @holds Registry server | `sources[].syncPolicy` | required for `git`, `api`, `file.url`; longer than zero | LNT1010
 */
export function sourceTypes({ document, config }: RegistryDocument): Diagnostic[] {
  return config.sources.flatMap((source, index) => {
    const path = ['sources', index];
    const types = SOURCE_TYPES.filter(type => source[type] !== undefined);
    const [first, second] = types;
    const report = (...[code, at, message]: [Parameters<typeof diagnose>[1], Path, string]) => [
      diagnose(document, code, at, message, { at: 'key' }),
    ];
    if (first === undefined)
      return report('LNT1010', path, `the source "${source.name}" has none of ${SOURCE_TYPES.join(', ')}`);
    if (second !== undefined)
      return report('LNT1021', [...path, second], `the source "${source.name}" has ${types.join(' and ')}`);
    if (first === 'managed')
      return report('LNT8016', [...path, first], 'a managed source needs a database, and this server has none');
    return needsInterval(source) && source.syncPolicy === undefined
      ? report('LNT1010', [...path, first], `syncPolicy is missing: it says how often "${source.name}" is read again`)
      : [];
  });
}

/** A local file changes with the deployment, and cluster servers are watched. */
function needsInterval({ git, api, file }: RegistrySource): boolean {
  return git !== undefined || api !== undefined || file?.url !== undefined;
}
