/** The classes of callers that a configuration distinguishes. */
import { type ClaimMap, compareText, type RegistryBundle } from '#schemas';
import { combineRequirements, doFit, formatRequirements } from './claim-requirements.ts';
import type { ClaimRequirement, RegistryCaller } from './registry-exposure.ts';

/**
 * The classes in order: first the class without a token, then valid tokens of each provider with any claims. If claims decide, then the classes that
 * a registry requires, and those that one of its sources requires in addition. Super admins come last.
 */
export function listRegistryCallers(bundle: RegistryBundle): readonly RegistryCaller[] {
  const { auth, authorization } = bundle;
  if (auth.mode === 'anonymous') return [{ name: 'anyone', type: 'anyone' }];
  const tokens = auth.providers
    .map(({ name }): RegistryCaller => ({ name: `token of ${name}`, type: 'token', provider: name }))
    .sort(compareByName);
  const superAdmin: RegistryCaller = { name: 'super admin', type: 'superAdmin' };
  return [
    { name: 'no token', type: 'noToken' },
    ...tokens,
    ...(authorization.type === 'claims' ? listClaimedCallers(bundle) : []),
    ...(listSuperAdminRules(bundle).length === 0 ? [] : [superAdmin]),
  ];
}

/** The rules that can match a caller: an empty rule matches no caller. */
export function listSuperAdminRules({ authorization }: RegistryBundle): readonly ClaimMap[] {
  if (authorization.type !== 'claims') return [];
  return authorization.roles.superAdmin.filter(rule => (combineRequirements([rule]) ?? []).length > 0);
}

/** The requirements that a caller of the class certainly meets. Callers without a token meet none, and super admins need none. */
export function listMetRequirements(caller: RegistryCaller): readonly ClaimRequirement[] {
  return caller.type === 'claims' ? caller.allOf : [];
}

export function isSuperAdmin(caller: RegistryCaller, bundle: RegistryBundle): boolean {
  return (
    caller.type === 'superAdmin' || listSuperAdminRules(bundle).some(rule => doFit(listMetRequirements(caller), rule))
  );
}

/**
 * The classes of callers that claims distinguish. If all routes of a registry are public, no token is read there, so the claims of the registry add
 * no class.
 */
function listClaimedCallers({ registries, sources, routes }: RegistryBundle): readonly RegistryCaller[] {
  const findClaims = (source: string) => sources.find(({ name }) => name === source)?.claims ?? null;
  const claimMaps = registries.flatMap(({ name, sources: names, claims }): readonly ClaimMap[][] => {
    const isPublic = !routes.some(route => route.registry === name && route.access !== 'public');
    if (claims === null || isPublic) return [];
    const more = names.map(findClaims).filter(own => own !== null);
    return [[claims], ...more.map(own => [claims, own])];
  });
  const classes = claimMaps.flatMap(maps => {
    const allOf = combineRequirements(maps);
    return allOf === undefined
      ? []
      : [{ name: `token with ${formatRequirements(allOf)}`, type: 'claims' as const, allOf }];
  });
  return [...new Map(classes.map(entry => [entry.name, entry])).values()].sort(compareByName);
}

function compareByName(a: RegistryCaller, b: RegistryCaller): number {
  return compareText(a.name, b.name);
}
