import type { RegistryAuth, RegistryAuthorizationPlan } from '#schemas';
import { claimMap } from '../../analysis/registry/claims.ts';
import type { Tracked } from '../../resolve/tracked.ts';

/** Roles for features that this server lacks. The bundle lists them for programs that use them. */
const IDLE = ['manageSources', 'manageRegistries', 'manageEntries'] as const;
const ROLES = ['superAdmin', ...IDLE] as const;

/** Lowers authorization. The presence of `authz` enables it, even if it grants no role. */
export function lowerRegistryAuthorization(auth: Tracked<RegistryAuth>): RegistryAuthorizationPlan {
  if (auth.peek('mode') === 'anonymous') {
    // A rule reported that the field is not read.
    auth.get('authz');
    return { type: 'none' };
  }
  const authz = auth.child('authz')?.countsByPresence();
  if (authz === undefined) return { type: 'authenticated' };
  const roles = authz.child('roles');
  const rules = ROLES.map(role => [role, (roles?.peek(role) ?? []).map(claimMap)] as const);
  roles?.get('superAdmin');
  for (const role of IDLE) roles?.ignore(role, 'nothing can be changed by the API of this server');
  const [superAdmin, manageSources, manageRegistries, manageEntries] = rules.map(([, list]) => list);
  return {
    type: 'claims',
    roles: {
      superAdmin: superAdmin ?? [],
      manageSources: manageSources ?? [],
      manageRegistries: manageRegistries ?? [],
      manageEntries: manageEntries ?? [],
    },
    ruleCount: rules.reduce((count, [, list]) => count + list.length, 0),
  };
}
