/** Which sources of a registry a caller may see. Registry servers decide by this function, and the compiler predicts their decisions by it. */
import type { ClaimMap, RegistryBundle, RegistryPlan } from '#schemas';

type TokenClaims = Readonly<Record<string, unknown>>;

/** The names of the sources that a caller may see, in the order of the registry; null for a caller who may not see the registry. */
export type VisibleSources = readonly string[] | null;

/**
 * @param claims those of the caller's token; undefined when no token is required: then the caller sees the sources without claims
 */
export function listVisibleSources(
  registry: RegistryPlan,
  { authorization, sources }: Pick<RegistryBundle, 'authorization' | 'sources'>,
  claims: TokenClaims | undefined,
): VisibleSources {
  if (authorization.type === 'none' || (authorization.type === 'authenticated' && claims !== undefined))
    return registry.sources;
  const isVisible =
    claims === undefined
      ? (required: ClaimMap | null) => required === null
      : (required: ClaimMap | null) => required !== null && hasClaims(claims, required);
  // Only super admins see sources without claims, or with claims that the caller lacks.
  if (claims !== undefined && isSuperAdmin(claims, authorization)) return registry.sources;
  if (!isVisible(registry.claims)) return null;
  const required = new Map(sources.map(source => [source.name, source.claims]));
  return registry.sources.filter(name => {
    const found = required.get(name);
    return found !== undefined && isVisible(found);
  });
}

function isSuperAdmin(claims: TokenClaims, authorization: RegistryBundle['authorization']): boolean {
  return authorization.type === 'claims' && authorization.roles.superAdmin.some(role => hasClaims(claims, role));
}

/**
 * Whether a token has one of the values of every required claim. A claim counts when it is a string or a list of strings; any other value in its
 * place counts as absent. A map that requires nothing matches no caller: a rule that was emptied must not open a door.
 */
export function hasClaims(claims: TokenClaims, required: ClaimMap): boolean {
  const entries = Object.entries(required);
  return (
    entries.length > 0 &&
    entries.every(([claim, values]) => listValues(claims, claim).some(value => values.includes(value)))
  );
}

/** Own members only: `constructor` and `__proto__` are claims like others. */
function listValues(claims: TokenClaims, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every(one => typeof one === 'string') ? value : [];
}
