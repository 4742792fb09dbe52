import type { Construct } from 'constructs';
import type { BackendAuth } from '#schemas';
import type { CallSite } from './origins.ts';

/** The credential that a gateway sends to backends. */
export interface OutgoingStrategy {
  /**
   * Called once, by the constructor of the gateway; objects that it creates go below `gateway` in the tree.
   *
   * @param purpose the name of the backend, or `default`; unique together with the gateway's name
   */
  bind(
    gateway: Construct & { readonly name: string; readonly namespace: string | undefined },
    purpose: string,
  ): BoundStrategy;
}

export interface BoundStrategy {
  /** The entry in `spec.outgoingAuth`. */
  readonly auth: BackendAuth;
  readonly callSite?: CallSite;
}

/** Credentials for the backends of a gateway. */
export interface Outgoing {
  /**
   * Whether backends and credentials are fixed when the gateway is deployed (`inline`). Members keep the credentials that they refer to.
   * Default: `inline` only if a backend is written inline.
   */
  readonly source?: 'inline';
  /** The credential for backends that have neither an entry here nor a reference of their own. */
  readonly default?: OutgoingStrategy;
  /** The credentials for single backends, by name. An entry takes precedence over the backend's own reference. */
  readonly backends?: { readonly [backend: string]: OutgoingStrategy };
}
