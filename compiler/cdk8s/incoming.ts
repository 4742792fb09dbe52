import type { AuthzConfig, ConfigIncomingAuth, IncomingAuth, VirtualMCPServerSpec } from '#schemas';
import { anonymous } from './anonymous.ts';
import { local } from './incoming-auth/local.ts';
import { writtenOidc } from './incoming-auth/written-oidc.ts';
import type { Origin } from './origins.ts';

/** Who may connect to a gateway: required, so that a gateway is never open by omission. */
export interface Incoming {
  /** Whether callers prove who they are. Without it nothing can be granted to some of them. */
  readonly knowsCallers: boolean;
  /** Asked when the program is synthesized. */
  bind(): IncomingParts;
}

/**
 * Who may connect, without an object of its own. With one: {@link Oidc} and {@link AuthServer}.
 *
 * @example
 * new Gateway(this, 'public', { group, incoming: Incoming.anonymous() });
 */
export const Incoming = { anonymous, local, oidc: writtenOidc };

interface CommonParts {
  /** Which claims are groups, and what groups are called in policies; goes to the policies. */
  readonly groups?: Pick<AuthzConfig, 'groupClaimName' | 'roleClaimName' | 'groupEntityType'>;
  /** Where the parts were given; pointers from the root of the VirtualMCPServer. */
  readonly origins?: readonly Origin[];
}

/** With objects of their own; policies go to `spec.incomingAuth.authzConfig`. */
export interface ReferringParts extends CommonParts {
  /** `spec.incomingAuth` without its policies: those come from grants. */
  readonly incomingAuth: Omit<IncomingAuth, 'authzConfig' | 'authzConfigRef'>;
  /** `spec.authServerConfig`. */
  readonly authServerConfig?: NonNullable<VirtualMCPServerSpec['authServerConfig']>;
}

/** With everything in place; policies go to `spec.config.incomingAuth.authz`. */
export interface WrittenParts extends CommonParts {
  /** `spec.config.incomingAuth` without its policies. */
  readonly configIncomingAuth: Omit<ConfigIncomingAuth, 'authz'>;
}

/** What incoming authentication puts into the spec of a gateway: exactly one of the two blocks. */
export type IncomingParts = ReferringParts | WrittenParts;
