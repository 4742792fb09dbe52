/** The server's answer to a class of callers, computed from its plan. */
import type { ClaimMap, RegistryBundle, RegistryRoutePlan } from '#schemas';
import { isSuperAdmin, listMetRequirements } from './callers.ts';
import { doFit } from './claim-requirements.ts';
import type { RegistryCaller, RouteDecision } from './registry-exposure.ts';

export function evaluateRoute(caller: RegistryCaller, route: RegistryRoutePlan, bundle: RegistryBundle): RouteDecision {
  const { name } = caller;
  if (caller.type === 'noToken' && route.access === 'caller') return { caller: name, answer: 'deny', status: 401 };
  const registry = bundle.registries.find(entry => entry.name === route.registry);
  if (registry === undefined) return { caller: name, answer: 'allow' };
  const maySee = (claims: ClaimMap | null) => isOpen(claims, caller, route, bundle);
  if (!maySee(registry.claims)) return { caller: name, answer: 'deny', status: 403 };
  const sources = registry.sources.filter(source =>
    maySee(bundle.sources.find(entry => entry.name === source)?.claims ?? null),
  );
  return { caller: name, answer: 'allow', sources };
}

/** Whether a registry or source with these claims is open to the caller on this route. */
function isOpen(
  claims: ClaimMap | null,
  caller: RegistryCaller,
  route: RegistryRoutePlan,
  bundle: RegistryBundle,
): boolean {
  const { authorization } = bundle;
  if (authorization.type === 'none') return true;
  // The server ignores a token on a public request.
  if (route.access === 'public') return claims === null;
  if (authorization.type === 'authenticated' || isSuperAdmin(caller, bundle)) return true;
  return claims !== null && doFit(listMetRequirements(caller), claims);
}
