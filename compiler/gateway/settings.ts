import type { ClientName } from './client-profiles.ts';

/** What a team asks of all its gateways, beyond what any specification says. */
export interface GatewaySettings {
  /** The clients that must get along with the gateways; {@link DEFAULT_CLIENTS} unless given. */
  readonly clients?: readonly ClientName[] | undefined;
  /** What the list of tools may cost; advice takes the place of what is left out. */
  readonly budgets?: { readonly tools?: number | undefined; readonly tokens?: number | undefined } | undefined;
}
