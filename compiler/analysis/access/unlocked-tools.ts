import { type CedarCaller, TOOL_HINTS } from '#shared/plan';
import { findPolicySet } from '../cedar/authorization.ts';
import type { CompositeModel } from '../gateway/composites.ts';
import { findLikelyName } from '../gateway/likely-tools.ts';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { stripPrefix } from './bare-name.ts';
import { type GatewayPolicies, isPermitted, preparePolicies } from './policies.ts';

/**
 * Which tools a caller may reach on backends that the tool lock does not know. Every possible tool counts, with any hints, so that "no" is
 * certain.
 */
export class UnlockedTools {
  readonly #gateway: GatewayModel;
  readonly #policies: GatewayPolicies | undefined;
  readonly #caller: CedarCaller | undefined;
  readonly #backends: readonly BackendModel[];
  /** Tools of unknown backends that the caller's workflows call. */
  readonly #called: readonly string[];

  /** @param workflows that the caller may call */
  constructor(gateway: GatewayModel, caller: CedarCaller | undefined, workflows: readonly CompositeModel[]) {
    this.#gateway = gateway;
    this.#policies = preparePolicies(gateway);
    this.#caller = caller;
    this.#backends = gateway.backends.filter(({ locked }) => locked === undefined);
    this.#called = workflows.flatMap(({ calls }) => calls.flatMap(call => findLikelyName(gateway, call) ?? []));
  }

  /** Whether the caller may reach a tool of this name, directly or through a workflow. */
  mayReach(name: string): boolean {
    if (this.#called.length > 0 && (!this.#isPrefixed || this.#called.includes(name))) return true;
    return this.#backends.some(backend => this.#mayShow(backend, name)) && this.#mayCall(name);
  }

  /** @param known names to ignore */
  mayBeAny(known: ReadonlyMap<string, string>): boolean {
    const isMore = (name: string) => !known.has(name);
    if (this.#called.some(isMore)) return true;
    return this.#backends.some(({ plan: { tools } }) => {
      const { advertise, prefix } = tools;
      if (advertise.type === 'none') return false;
      if (advertise.type === 'all') return true;
      const bare = this.#isPrefixed ? [] : advertise.names;
      return [...bare, ...advertise.names.map(name => prefix + name)].some(name => isMore(name) && this.#mayCall(name));
    });
  }

  get #isPrefixed(): boolean {
    return this.#gateway.plan.aggregation.strategy === 'prefix';
  }

  /**
   * Whether a name may lead to a tool of this backend. Without prefixes, an unlocked backend may also change which of the other backends gets a name.
   */
  #mayShow({ plan: { tools } }: BackendModel, name: string): boolean {
    if (!this.#isPrefixed) return true;
    const { advertise } = tools;
    const bare = stripPrefix(name, tools);
    if (bare === undefined || advertise.type === 'none') return false;
    return advertise.type === 'all' || advertise.names.includes(bare);
  }

  #mayCall(name: string): boolean {
    return this.#listHints().some(annotations => {
      const target = { name, annotations };
      const policies = this.#policies;
      if (policies === undefined || policies.lists(this.#caller, 'call_tool', target)) return true;
      return isPermitted(policies.decide(this.#caller, 'call_tool', target, {}));
    });
  }

  /** Every combination of the hints that policies read; each hint is true, false or unstated. */
  #listHints(): readonly Readonly<Record<string, boolean>>[] {
    const texts = findPolicySet(this.#gateway)?.policies.map(({ text }) => text) ?? [];
    // A policy that has the name in a string with escapes is not found by a search of its text.
    const isRead = (hint: string) => texts.some(text => text.includes(hint) || text.includes('\\u'));
    return TOOL_HINTS.filter(isRead).reduce<readonly Readonly<Record<string, boolean>>[]>(
      (all, hint) => all.flatMap(stated => [stated, { ...stated, [hint]: true }, { ...stated, [hint]: false }]),
      [{}],
    );
  }
}
