/** A gateway after lowering, for analyses and rules about whole gateways. */
import type { BackendPlan, GatewayBundle } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ObjectLocation } from '../resolve/related-place.ts';

export interface LeftOutBackend {
  readonly plan: Omit<BackendPlan, 'auth'>;
  /** Continues the sentence "its credential is not a static header: …". */
  readonly reason: string;
}

export interface LoweredGateway {
  /** Must not be used when `diagnostics` contains an error. */
  readonly bundle: GatewayBundle;
  /** Where each backend of the bundle is described, by name. */
  readonly origins: ReadonlyMap<string, BackendOrigin>;
  /** Where the credential of each backend is chosen, by backend name; null when none is. */
  readonly credentialLocations: ReadonlyMap<string, CredentialLocation | null>;
  /** Backends missing from the bundle: an error says why their credential cannot be determined. */
  readonly leftOut: readonly LeftOutBackend[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a credential is chosen. */
export interface CredentialLocation {
  /** The object that describes the credential: the gateway or an MCPExternalAuthConfig. */
  readonly holder: Resource;
  /** Where it is chosen, in the gateway or in the workload. */
  readonly location: ObjectLocation;
}
