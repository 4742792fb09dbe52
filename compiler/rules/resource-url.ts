import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type ChosenOidc, chooseIncomingAuth } from '../resolve/choose-incoming-auth.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';
import { findWebUrlProblem } from './support/url-problem.ts';

/**
 * The URL by which clients know a gateway leads to its metadata, so it has no fragment (RFC 9728, section 1.2).
 *
 * @holds incomingAuth | `oidcConfigRef.resourceUrl`, `config.incomingAuth.oidc.resource` | a complete URL of http or https, without
 *   credentials and fragment | LNT6011
 */
export function resourceUrl(resource: Resource): Diagnostic[] {
  const spec = gatewaySpec(resource);
  const oidc = spec && chooseIncomingAuth(spec).oidc;
  if (oidc === undefined) return [];
  const [field, text] = getWrittenUrl(oidc);
  if (text === undefined || text === '') return [];
  const problem = findWebUrlProblem(text)?.message ?? (text.includes('#') ? 'has a fragment' : undefined);
  if (problem === undefined) return [];
  return [diagnose(resource.document, 'LNT6011', [...oidc.path, field], `${field} ${problem}`)];
}

function getWrittenUrl(oidc: ChosenOidc): readonly [field: string, text: string | undefined] {
  return oidc.type === 'reference' ? ['resourceUrl', oidc.ref.resourceUrl] : ['resource', oidc.oidc.resource];
}
