/** Which sources of a registry a caller sees. The decision is made by the same function as in a registry server. */
import type { RegistryBundle, RegistryPlan, RegistryRoutePlan } from '#schemas';
import { listVisibleSources, toIncomingAuthPlan, type VisibleSources } from '#shared/plan';
import { type Admission, authenticateCaller, type Claims, type EvaluationContext } from './admission.ts';

export interface RegistryCaller {
  readonly admission: Admission;
  readonly hasToken: boolean;
}

/** @param claims undefined for a caller without a token */
export function admitToRegistry(
  { auth }: RegistryBundle,
  claims: Claims | undefined,
  context: EvaluationContext,
): RegistryCaller {
  const server = { kind: 'registry server', incomingAuth: toIncomingAuthPlan(auth), signsIn: false } as const;
  return { admission: authenticateCaller(server, claims, context), hasToken: claims !== undefined };
}

/** The sources that the caller sees on at least one route of the registry; null for a caller whom every route refuses. */
export function listSeenSources(
  registry: RegistryPlan,
  bundle: RegistryBundle,
  caller: RegistryCaller,
): VisibleSources {
  const seen = listAccess(registry.name, bundle)
    .map(access => listSourcesAt(access, registry, bundle, caller))
    .filter(sources => sources !== null);
  return seen.length === 0 ? null : [...new Set(seen.flat())];
}

/** Whether a token changes nothing: no route of the registry asks for one. */
export function isOpen(registry: string, bundle: RegistryBundle): boolean {
  return bundle.auth.mode === 'anonymous' || listAccess(registry, bundle).every(access => access === 'public');
}

function listSourcesAt(
  access: RegistryRoutePlan['access'],
  registry: RegistryPlan,
  bundle: RegistryBundle,
  { admission, hasToken }: RegistryCaller,
): VisibleSources {
  // A public route ignores a token, and a server without authentication does so everywhere.
  if (access === 'public' || bundle.auth.mode === 'anonymous') return listVisibleSources(registry, bundle, undefined);
  if (!hasToken || admission.refusals.length > 0) return null;
  return listVisibleSources(registry, bundle, admission.caller?.claims ?? {});
}

function listAccess(registry: string, { routes }: RegistryBundle): readonly RegistryRoutePlan['access'][] {
  return [...new Set(routes.filter(route => route.registry === registry).map(({ access }) => access))];
}
