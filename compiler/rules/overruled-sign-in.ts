import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import {
  type ChosenIncomingAuth,
  chooseIncomingAuth,
  findIssuer,
  findOverruledIncomingAuth,
  getAudience,
} from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/** A requirement of the overruled block, its path, and the setting that applies instead. */
interface Difference {
  readonly requiredPath: Path;
  readonly message: string;
  readonly instead: Path;
}

/**
 * Reports a check that is enabled in a block without effect.
 *
 * @holds incomingAuth | `incomingAuth` | if both are set, `incomingAuth` accepts no callers that `config.incomingAuth` refuses | LNT4026
 */
export function overruledSignIn(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  const overruled = spec && findOverruledIncomingAuth(spec);
  if (spec === undefined || overruled === undefined) return [];
  const chosen = chooseIncomingAuth(spec);
  const differences = [
    signIn(chosen, overruled, resource, inventory),
    diffScopes(chosen, overruled),
    diffPolicies(chosen, overruled),
  ];
  return differences.flatMap(difference => {
    if (difference === undefined) return [];
    const { requiredPath, message, instead } = difference;
    const related = [toRelatedLocation('this block takes precedence', { resource, path: instead })];
    return [diagnose(resource.document, 'LNT4026', requiredPath, message, { related })];
  });
}

function signIn(
  chosen: ChosenIncomingAuth,
  overruled: ChosenIncomingAuth,
  { namespace }: Resource,
  inventory: Inventory,
): Difference | undefined {
  const requiredPath = [...overruled.path, 'type'];
  const instead = [...chosen.path, 'type'];
  if (chosen.type === 'anonymous') {
    if (overruled.type === 'anonymous') return undefined;
    const callers = overruled.type === 'oidc' ? 'callers with tokens' : 'the user of the machine';
    const message = `every caller may use the gateway: this block lets in only ${callers}, but spec.incomingAuth takes precedence, and its type is anonymous`;
    return { requiredPath, message, instead };
  }
  if (chosen.oidc === undefined || overruled.oidc === undefined) return undefined;
  const issuer = findIssuer(chosen.oidc, namespace, inventory);
  const audience = getAudience(chosen.oidc);
  const isSame =
    issuer === findIssuer(overruled.oidc, namespace, inventory) && audience === getAudience(overruled.oidc);
  // An issuer outside of the sources is unknown.
  if (issuer === undefined || isSame) return undefined;
  const message = `the gateway accepts tokens of "${issuer}" for "${audience}", as spec.incomingAuth says, and not the tokens of this block`;
  return { requiredPath: overruled.oidc.path, message, instead: chosen.oidc.path };
}

/** Scopes in `config` are required of tokens; `oidcConfigRef` can only advertise scopes. */
function diffScopes({ type, path }: ChosenIncomingAuth, { oidc }: ChosenIncomingAuth): Difference | undefined {
  // An open gateway needs no further check.
  if (oidc?.type !== 'inline' || type === 'anonymous') return undefined;
  const demanded = oidc.oidc.scopes ?? [];
  if (demanded.length === 0) return undefined;
  const message = `tokens without the scope "${demanded.join(' ')}" are accepted: spec.incomingAuth takes precedence, and it requires no scope`;
  return { requiredPath: [...oidc.path, 'scopes'], message, instead: path };
}

function diffPolicies(chosen: ChosenIncomingAuth, overruled: ChosenIncomingAuth): Difference | undefined {
  if (overruled.policies === undefined || chosen.policies !== undefined) return undefined;
  const message = 'every caller may call everything: spec.incomingAuth takes precedence, and it has no policies';
  return { requiredPath: overruled.policies.path, message, instead: chosen.path };
}
