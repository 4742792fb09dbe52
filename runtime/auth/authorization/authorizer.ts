import type { CedarAction, CedarTarget, NamedArguments } from '#schemas';
import type { Identity } from '../identity.ts';

/** Decides who may do what, by the policies of one bundle. The one place where that is decided. */
export interface Authorizer {
  /** What one caller may do; kept with the identity, so asking again is cheap. */
  getAccess(identity: Identity): Access;
  /** Decisions that failed, and therefore denied, so far. */
  readonly errorCount: number;
}

/** What policies decide, and which of them. */
export interface Decision {
  readonly isPermitted: boolean;
  /** Names of the policies that permit, that forbid, or that could not be evaluated, sorted; none when no policy permits. */
  readonly policies: readonly string[];
}

export interface Access {
  /** Whether everything is permitted, whatever is asked. */
  readonly isUnlimited: boolean;
  /** Whether the action on the target is permitted with these arguments. Denies when a policy cannot be evaluated. */
  mayCall(action: CedarAction, target: CedarTarget, args: () => Readonly<Record<string, unknown>>): boolean;
  /** The same, with the policies that decided. */
  decideCall(action: CedarAction, target: CedarTarget, args: () => Readonly<Record<string, unknown>>): Decision;
  /** Whether there are arguments with which `mayCall` could permit it: what lists show. */
  maySee(action: CedarAction, target: CedarTarget): boolean;
  /** The same, with the policies that decide. */
  decideView(action: CedarAction, target: CedarTarget): Decision;
  /** The arguments that policies look at by name. */
  readonly namedArguments: NamedArguments;
}

const PERMITTED: Decision = { isPermitted: true, policies: [] };

const EVERYTHING: Access = {
  isUnlimited: true,
  mayCall: () => true,
  decideCall: () => PERMITTED,
  maySee: () => true,
  decideView: () => PERMITTED,
  namedArguments: new Set(),
};

/** Without policies every admitted caller may do everything. */
export const UNLIMITED: Authorizer = { getAccess: () => EVERYTHING, errorCount: 0 };
