import { Range } from 'semver';
import { findGitRefProblem, findGitSourceProblem, type GatewaySourceSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * Reports what Git and the controller would refuse in a GatewaySource, before it is applied.
 *
 * @holds Other kinds | GatewaySource, `url`, `ref` | forms that the controller's git reads | LNT1062, LNT1063
 */
export function gatewaySource(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'GatewaySource') return [];
  const { url, ref = {} } = resource.spec as GatewaySourceSpec;
  const problem = findGitSourceProblem(url);
  return [
    ...(problem === undefined
      ? []
      : [diagnose(resource.document, 'LNT1062', ['spec', 'url'], `the repository ${problem}`)]),
    ...(['branch', 'tag'] as const).flatMap(type => {
      const name = ref[type];
      const fault = name === undefined ? undefined : findGitRefProblem(type, name);
      if (fault === undefined) return [];
      return [
        diagnose(resource.document, 'LNT1063', ['spec', 'ref', type], `${type} ${JSON.stringify(name)} ${fault}`),
      ];
    }),
    ...(ref.semver === undefined || isRange(ref.semver)
      ? []
      : [
          diagnose(
            resource.document,
            'LNT1063',
            ['spec', 'ref', 'semver'],
            `semver ${JSON.stringify(ref.semver)} is not a range of versions, such as ">=1.2.0 <2.0.0"`,
          ),
        ]),
  ];
}

function isRange(text: string): boolean {
  try {
    return new Range(text).range !== undefined;
  } catch {
    return false;
  }
}
