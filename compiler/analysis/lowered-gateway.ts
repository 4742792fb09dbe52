/** A gateway after lowering, as analyses and rules about whole gateways see it. */
import type { BackendPlan, GatewayBundle } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ObjectLocation } from '../resolve/related-place.ts';

export interface LeftOutBackend {
  readonly plan: Omit<BackendPlan, 'auth'>;
  /** Completes "its credential is not a static header: …". */
  readonly reason: string;
}

export interface LoweredGateway {
  /** Meaningless when `diagnostics` holds an error. */
  readonly bundle: GatewayBundle;
  /** Where each backend of the bundle is described, by name. */
  readonly origins: ReadonlyMap<string, BackendOrigin>;
  /** Where the credential of each backend of the bundle is chosen, by name; null where none is chosen. */
  readonly places: ReadonlyMap<string, CredentialLocation | null>;
  /** Backends that are not in the bundle: an error says why their credential cannot be made out. */
  readonly leftOut: readonly LeftOutBackend[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a credential is chosen. */
export interface CredentialLocation {
  /** In which it is described: the gateway or an MCPExternalAuthConfig. */
  readonly holder: Resource;
  /** Where it is chosen, in the gateway or in the workload. */
  readonly location: ObjectLocation;
}
