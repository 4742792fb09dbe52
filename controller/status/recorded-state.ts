/** What the status of a GatewaySource records for its next reconcile. */
import type { SourceGateway } from '#schemas';

/** As in `status.inventory`. */
export interface InventoryEntry {
  /** The id of the object: `namespace_name_group_Kind`, with an empty group for core. */
  readonly id: string;
  readonly v: string;
  /**
   * The uid of the object; empty while it is being created. An object of this name then counts as this source's if Lintel's field manager created it,
   * because the process may have ended before the response.
   */
  readonly uid: string;
}

/**
 * The state of a gateway or registry server, as in `status.gateways`. `release` identifies what runs the bundle: the image, `#` and a hash of the
 * desired Deployment.
 */
export type UnitState = SourceGateway;
