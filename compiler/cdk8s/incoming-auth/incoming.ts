import type { AuthzConfig, ConfigIncomingAuth, IncomingAuth, VirtualMCPServerSpec } from '#schemas';
import type { ValueOrigin } from '../origins.ts';
import { anonymous } from './anonymous.ts';
import { local } from './local.ts';
import { writtenOidc } from './written-oidc.ts';

/** Who may connect to a gateway. Required, so that no gateway is open by omission. */
export interface Incoming {
  /** Whether callers are authenticated. If not, nothing can be granted to some callers only. */
  readonly knowsCallers: boolean;
  /** Called when the program is synthesized. */
  bind(): IncomingParts;
}

/**
 * The ways of incoming authentication that need no object of their own. {@link Oidc} and {@link AuthServer} create an object.
 *
 * @example new Gateway(this, 'public', { group, incoming: Incoming.anonymous() });
 */
export const Incoming = { anonymous, local, oidc: writtenOidc };

interface CommonParts {
  /** Which claims contain groups, and the type of groups in policies. These settings belong to the block with the policies. */
  readonly groups?: Pick<AuthzConfig, 'groupClaimName' | 'roleClaimName' | 'groupEntityType'>;
  /** Positions of the parts in the program; pointers from the root of the VirtualMCPServer. */
  readonly origins?: readonly ValueOrigin[];
}

/** Authentication that refers to objects; policies belong in `spec.incomingAuth.authzConfig`. */
export interface ReferringParts extends CommonParts {
  /** `spec.incomingAuth` without its policies, which come from grants. */
  readonly incomingAuth: Omit<IncomingAuth, 'authzConfig' | 'authzConfigRef'>;
  /** The value of `spec.authServerConfig`. */
  readonly authServerConfig?: NonNullable<VirtualMCPServerSpec['authServerConfig']>;
}

/** Inline authentication; policies belong in `spec.config.incomingAuth.authz`. */
export interface WrittenParts extends CommonParts {
  /** `spec.config.incomingAuth` without its policies. */
  readonly configIncomingAuth: Omit<ConfigIncomingAuth, 'authz'>;
}

/** The parts of a gateway's spec for incoming authentication: exactly one of the two blocks. */
export type IncomingParts = ReferringParts | WrittenParts;
