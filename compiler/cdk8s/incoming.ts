import type { AuthzConfig, IncomingAuth, VirtualMCPServerSpec } from '#schemas';
import type { Given } from './origins.ts';

/** Who may connect to a gateway: required, because nobody gets an open gateway by leaving something out. */
export interface Incoming {
  /** Whether callers prove who they are. Without it nothing can be granted to some of them. */
  readonly knowsCallers: boolean;
  /** Asked when the program is synthesized. */
  bind(): IncomingParts;
}

/** What incoming authentication puts into the spec of a gateway. */
export interface IncomingParts {
  /** `spec.incomingAuth` without its policies: those come from grants. */
  readonly incomingAuth: Omit<IncomingAuth, 'authzConfig' | 'authzConfigRef'>;
  /** Which claims are groups, and what groups are called in policies; goes into `spec.incomingAuth.authzConfig`. */
  readonly groups?: Pick<AuthzConfig, 'groupClaimName' | 'roleClaimName' | 'groupEntityType'>;
  /** `spec.authServerConfig`. */
  readonly authServerConfig?: NonNullable<VirtualMCPServerSpec['authServerConfig']>;
  /** Where the parts were given; pointers from the root of the VirtualMCPServer. */
  readonly origins?: readonly { readonly pointer: string; readonly given: Given }[];
}
