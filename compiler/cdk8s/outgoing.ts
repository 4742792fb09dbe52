import type { Construct } from 'constructs';
import type { BackendAuth } from '#schemas';
import type { CallSite } from './origins.ts';

/** The credential that a gateway shows to backends. */
export interface OutgoingStrategy {
  /**
   * Asked once, by the constructor of the gateway: what it needs of objects of its own goes below `gateway`.
   *
   * @param purpose the name of the backend, or `default`; with the gateway's name it makes a name that no other has
   */
  bind(
    gateway: Construct & { readonly name: string; readonly namespace: string | undefined },
    purpose: string,
  ): BoundStrategy;
}

export interface BoundStrategy {
  /** The entry in `spec.outgoingAuth`. */
  readonly auth: BackendAuth;
  readonly given?: CallSite;
}

/** Credentials toward the backends of a gateway. */
export interface Outgoing {
  /**
   * Fixes backends and credentials when the gateway is deployed. Members keep the credentials that they refer to. Default: only with a
   * backend that is written out.
   */
  readonly source?: 'inline';
  /** For backends that have neither an entry here nor a reference of their own. */
  readonly default?: OutgoingStrategy;
  /** For single backends, by name. It wins over the backend's own reference. */
  readonly backends?: { readonly [backend: string]: OutgoingStrategy };
}
