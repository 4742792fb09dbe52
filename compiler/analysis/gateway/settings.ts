import type { PrivateDenial } from '#schemas';
import type { ClientName } from './client-profiles.ts';

/** Settings for checks of gateways that come from outside of the specs: a team's rules, and where gateways will run. */
export interface GatewaySettings {
  /** The clients that must be able to use the gateways; default {@link DEFAULT_CLIENTS}. */
  readonly clients?: readonly ClientName[] | undefined;
  /** Requires that no backend, token endpoint or upstream registry is at a private address. Undefined: specs decide. */
  readonly denial?: PrivateDenial | undefined;
  /** Where gateways will run: `pods` when manifests are generated. Undefined when unknown. */
  readonly target?: 'pods' | undefined;
  /** Token budgets for the list of tools. A budget that is left out only leads to a hint. */
  readonly budgets?: { readonly tools?: number | undefined; readonly tokens?: number | undefined } | undefined;
}
