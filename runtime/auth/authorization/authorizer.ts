import type { CedarAction, CedarTarget, NamedArguments } from '#shared/plan';
import type { Identity } from '../identity.ts';

/** Authorizes requests by the policies of one bundle; no other code decides about access. */
export interface Authorizer {
  /** One caller's access; cached with the identity. */
  getAccess(identity: Identity): CallerAccess;
  /** Number of decisions that failed; each of them denied the request. */
  readonly errorCount: number;
}

/** The policies' decision, and the deciding policies. */
export interface Decision {
  readonly isPermitted: boolean;
  /** Names of the deciding policies (permits, forbids, or failed ones), sorted; empty when no policy permits. */
  readonly policies: readonly string[];
}

export interface CallerAccess {
  /** Whether everything is permitted. */
  readonly isUnlimited: boolean;
  /** Whether the action on the target is permitted with these arguments; false if a policy cannot be evaluated. */
  mayCall(action: CedarAction, target: CedarTarget, args: () => Readonly<Record<string, unknown>>): boolean;
  /** Decides like `mayCall`, and returns the policies that decided. */
  decideCall(action: CedarAction, target: CedarTarget, args: () => Readonly<Record<string, unknown>>): Decision;
  /** Whether `mayCall` could permit the action on the target with some arguments: then lists show the target to the caller. */
  maySee(action: CedarAction, target: CedarTarget): boolean;
  /** Decides like `maySee`, and returns the policies that decided. */
  decideView(action: CedarAction, target: CedarTarget): Decision;
  /** The arguments that policies read by name. */
  readonly namedArguments: NamedArguments;
}

const PERMITTED: Decision = { isPermitted: true, policies: [] };

const EVERYTHING: CallerAccess = {
  isUnlimited: true,
  mayCall: () => true,
  decideCall: () => PERMITTED,
  maySee: () => true,
  decideView: () => PERMITTED,
  namedArguments: new Set(),
};

/** Without policies every admitted caller may do everything. */
export const UNLIMITED: Authorizer = { getAccess: () => EVERYTHING, errorCount: 0 };
