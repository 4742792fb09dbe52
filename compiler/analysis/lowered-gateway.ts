/** A gateway after lowering, for analyses and rules about whole gateways. */
import type { BackendPlan, GatewayBundle } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ObjectLocation } from '../resolve/related-location.ts';

export interface LeftOutBackend {
  readonly plan: Omit<BackendPlan, 'auth'>;
  /** Why the credential cannot be determined, as the end of the sentence "its credential is not a static header: …". */
  readonly reason: string;
}

export interface LoweredGateway {
  /** Must not be used when `diagnostics` contains an error. */
  readonly bundle: GatewayBundle;
  /** The object that describes each backend of the bundle, by the backend's name. */
  readonly origins: ReadonlyMap<string, BackendOrigin>;
  /** The location that chooses each backend's credential, by the backend's name; null when none does. */
  readonly credentialLocations: ReadonlyMap<string, CredentialLocation | null>;
  /** Backends that are missing from the bundle, because their credential cannot be determined; an error reports why. */
  readonly leftOut: readonly LeftOutBackend[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The location in the sources that chooses a credential. */
export interface CredentialLocation {
  /** The object that describes the credential: the gateway or an MCPExternalAuthConfig. */
  readonly holder: Resource;
  /** The field of the gateway or of the workload. */
  readonly location: ObjectLocation;
}
