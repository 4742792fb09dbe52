import type { CedarAction, CedarTarget } from '#schemas';
import type { Identity } from '../identity.ts';

/** Decides who may do what, by the policies of one bundle. The one place where that is decided. */
export interface Authorizer {
  /** What one caller may do; kept with the identity, so asking again is cheap. */
  accessOf(identity: Identity): Access;
  /** Decisions that failed, and therefore denied, so far. */
  readonly errorCount: number;
}

export interface Access {
  /** Whether everything is permitted, whatever is asked. */
  readonly isUnlimited: boolean;
  /** A call. Denies when a policy cannot be evaluated. */
  mayCall(action: CedarAction, target: CedarTarget, args: () => Readonly<Record<string, unknown>>): boolean;
  /** Whether there are arguments with which `mayCall` could permit it: what lists show. */
  maySee(action: CedarAction, target: CedarTarget): boolean;
}

const EVERYTHING: Access = { isUnlimited: true, mayCall: () => true, maySee: () => true };

/** Without policies everybody who got in may do everything. */
export const UNLIMITED: Authorizer = { accessOf: () => EVERYTHING, errorCount: 0 };
