import type { ClaimMap, RegistryBundle, RegistryPlan } from '#schemas';
import type { Identity } from '../../auth/identity.ts';
import { hasClaims } from './claims.ts';

type VisibilityPlan = Pick<RegistryBundle, 'authorization' | 'registries' | 'sources'>;

/**
 * The names of the sources of a registry that a caller may see, in the registry's order; null for a caller who may not see the registry.
 */
export type VisibleSources = readonly string[] | null;

/** Which callers see which registries and sources. */
export class Visibility {
  readonly #authorization: VisibilityPlan['authorization'];
  readonly #registries: ReadonlyMap<string, RegistryPlan>;
  readonly #sourceClaims: ReadonlyMap<string, ClaimMap | null>;
  readonly #public: ReadonlyMap<string, VisibleSources>;
  /** Results by the identity object, which a token keeps while it is cached. */
  readonly #known = new WeakMap<Identity, Map<string, VisibleSources>>();

  constructor({ authorization, registries, sources }: VisibilityPlan) {
    this.#authorization = authorization;
    this.#registries = new Map(registries.map(registry => [registry.name, registry]));
    this.#sourceClaims = new Map(sources.map(({ name, claims }) => [name, claims]));
    this.#public = new Map(registries.map(registry => [registry.name, this.#withoutClaims(registry)]));
  }

  /**
   * @param registry a name of the bundle
   * @param identity undefined when no token was required: then the caller sees the sources without claims
   */
  sources(registry: string, identity: Identity | undefined): VisibleSources {
    const plan = this.#registries.get(registry);
    if (plan === undefined) return null;
    const { type } = this.#authorization;
    if (type === 'none' || (type === 'authenticated' && identity !== undefined)) return plan.sources;
    return identity === undefined ? (this.#public.get(registry) ?? null) : this.#findOfCaller(plan, identity);
  }

  #withoutClaims({ claims, sources }: RegistryPlan): VisibleSources {
    return claims === null ? sources.filter(source => this.#sourceClaims.get(source) === null) : null;
  }

  #findOfCaller(registry: RegistryPlan, identity: Identity): VisibleSources {
    let known = this.#known.get(identity);
    if (known === undefined) {
      known = new Map();
      this.#known.set(identity, known);
    }
    let sources = known.get(registry.name);
    if (sources === undefined) {
      sources = this.#findSources(registry, identity.caller?.claims ?? {});
      known.set(registry.name, sources);
    }
    return sources;
  }

  /** Only super admins see sources without claims, or with claims that the caller lacks. */
  #findSources({ claims, sources }: RegistryPlan, held: Readonly<Record<string, unknown>>): VisibleSources {
    if (this.#authorization.type !== 'claims') return null;
    if (this.#authorization.roles.superAdmin.some(role => hasClaims(held, role))) return sources;
    const fits = (required: ClaimMap | null | undefined): boolean => required != null && hasClaims(held, required);
    return fits(claims) ? sources.filter(source => fits(this.#sourceClaims.get(source))) : null;
  }
}
