import type { PrivateDenial } from '#schemas';
import type { ClientName } from './client-profiles.ts';

/** What gateways are judged by beyond what any specification says: what a team asks of all of them, and where they will run. */
export interface GatewaySettings {
  /** The clients that must get along with the gateways; {@link DEFAULT_CLIENTS} unless given. */
  readonly clients?: readonly ClientName[] | undefined;
  /** That no backend, token endpoint or upstream registry is at a private address. Undefined: specs decide. */
  readonly denial?: PrivateDenial | undefined;
  /** Where they will run: `pods`, where manifests are made of them. Undefined where that is not known. */
  readonly target?: 'pods' | undefined;
  /** What the list of tools may cost; advice takes the place of what is left out. */
  readonly budgets?: { readonly tools?: number | undefined; readonly tokens?: number | undefined } | undefined;
}
