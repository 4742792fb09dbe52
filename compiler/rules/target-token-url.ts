import type { MCPExternalAuthConfigSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { listStrategies } from './support/outgoing-strategies.ts';
import { isPlainHttp } from './support/plain-http.ts';
import { urlProblem } from './support/url-problem.ts';

interface Xaa {
  readonly targetTokenUrl: string;
  readonly insecureTargetTokenUrl?: boolean;
}

/**
 * The target's token endpoint must use https, unless the spec allows otherwise.
 *
 * @holds outgoingAuth and config.outgoingAuth | `xaa.targetTokenUrl` | https unless `insecureTargetTokenUrl` | LNT6011
 * @holds Other kinds | MCPExternalAuthConfig, `awsSts`, `xaa` | as for the strategies above | -
 */
export function targetTokenUrl(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPExternalAuthConfig') {
    const { xaa } = resource.spec as MCPExternalAuthConfigSpec;
    return xaa === undefined ? [] : check(resource, xaa, ['spec', 'xaa']);
  }
  return listStrategies(resource).flatMap(({ strategy: { type, xaa }, path }) =>
    type !== 'xaa' || xaa === undefined ? [] : check(resource, xaa, [...path, 'xaa']),
  );
}

function check(resource: Resource, { targetTokenUrl: url, insecureTargetTokenUrl }: Xaa, path: Path): Diagnostic[] {
  const at = [...path, 'targetTokenUrl'];
  const problem = urlProblem(url);
  if (problem !== undefined) return [diagnose(resource.document, 'LNT6011', at, `targetTokenUrl ${problem.message}`)];
  if (insecureTargetTokenUrl === true || !isPlainHttp(url)) return [];
  const message = 'targetTokenUrl must be https: tokens would cross the network unencrypted';
  return [diagnose(resource.document, 'LNT6011', at, message)];
}
