import type { SealKeys } from '../../shared-sessions/seal-keys.ts';
import type { BackendConnection } from '../connections/connection.ts';

/** The members of the gateway that requests about tasks need. */
export interface TaskGateway {
  /** The connections, by the name of the backend. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  /** The seals of task ids. */
  readonly seals: SealKeys;
}
