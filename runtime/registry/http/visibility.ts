import type { RegistryBundle, RegistryPlan } from '#schemas';
import { listVisibleSources, type VisibleSources } from '#shared/plan';
import type { Identity } from '../../auth/identity.ts';

type VisibilityPlan = Pick<RegistryBundle, 'authorization' | 'registries' | 'sources'>;

/** Decides which registries and sources a caller sees, once for each caller and registry. */
export class Visibility {
  readonly #plan: VisibilityPlan;
  readonly #registries: ReadonlyMap<string, RegistryPlan>;
  readonly #public: ReadonlyMap<string, VisibleSources>;
  /** Results by identity object; a token has the same identity object as long as it is cached. */
  readonly #known = new WeakMap<Identity, Map<string, VisibleSources>>();

  constructor(plan: VisibilityPlan) {
    this.#plan = plan;
    this.#registries = new Map(plan.registries.map(registry => [registry.name, registry]));
    this.#public = new Map(
      plan.registries.map(registry => [registry.name, listVisibleSources(registry, plan, undefined)]),
    );
  }

  /**
   * @param registry a name of the bundle
   * @param identity undefined when no token was required: then the caller sees the sources without claims
   */
  sources(registry: string, identity: Identity | undefined): VisibleSources {
    const plan = this.#registries.get(registry);
    if (plan === undefined) return null;
    return identity === undefined ? (this.#public.get(registry) ?? null) : this.#findOfCaller(plan, identity);
  }

  #findOfCaller(registry: RegistryPlan, identity: Identity): VisibleSources {
    let known = this.#known.get(identity);
    if (known === undefined) {
      known = new Map();
      this.#known.set(identity, known);
    }
    let sources = known.get(registry.name);
    if (sources === undefined) {
      sources = listVisibleSources(registry, this.#plan, identity.caller?.claims ?? {});
      known.set(registry.name, sources);
    }
    return sources;
  }
}
