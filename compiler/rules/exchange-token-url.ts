import type { MCPExternalAuthConfigSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { listStrategies } from './support/outgoing-strategies.ts';
import { isExposedHttp } from './support/plain-http.ts';
import { findWebUrlProblem } from './support/url-problem.ts';

/**
 * The token endpoint of an exchange must be a valid URL with an encrypted connection.
 *
 * @holds outgoingAuth and config.outgoingAuth | `tokenExchange.tokenUrl`, `obo.tokenUrl` | complete URLs of http or https, without
 *   credentials; https, except on loopback | LNT6011, LNT4004 (warning)
 */
export function exchangeTokenUrl(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPExternalAuthConfig') {
    const { tokenExchange } = resource.spec as MCPExternalAuthConfigSpec;
    return check(resource, tokenExchange?.tokenUrl, ['spec', 'tokenExchange', 'tokenUrl']);
  }
  return listStrategies(resource).flatMap(({ strategy: { type, tokenExchange, obo }, path }) => {
    if (type === 'token_exchange')
      return check(resource, tokenExchange?.tokenUrl, [...path, 'tokenExchange', 'tokenUrl']);
    if (type === 'obo') return check(resource, obo?.tokenUrl, [...path, 'obo', 'tokenUrl']);
    return [];
  });
}

function check(resource: Resource, url: string | undefined, path: Path): Diagnostic[] {
  if (url === undefined) return [];
  const problem = findWebUrlProblem(url);
  if (problem !== undefined) return [diagnose(resource.document, 'LNT6011', path, `tokenUrl ${problem.message}`)];
  if (!isExposedHttp(url)) return [];
  const message = 'tokenUrl is plain http: tokens and the client secret would cross the network unencrypted';
  return [diagnose(resource.document, 'LNT4004', path, message, { severity: 'warning' })];
}
