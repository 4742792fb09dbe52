import { CODES, type DiagnosticCode } from './codes.ts';

/** Codes that a compilation could not check, so that the absence of findings proves nothing. */
export interface NotChecked {
  readonly because: 'no-lock' | 'not-for-pods';
  /** In the order of their numbers. */
  readonly codes: readonly DiagnosticCode[];
  /** How to enable the check. */
  readonly fix: string;
}

const ALL = (Object.keys(CODES) as DiagnosticCode[]).sort();

/**
 * What is not checked for gateways, and for servers with a gateway in front.
 * @param hasLock whether there is a tool lock without errors
 */
export function listNotChecked(hasLock: boolean, isForPods: boolean): readonly NotChecked[] {
  const lock: NotChecked = {
    because: 'no-lock',
    codes: ALL.filter(code => CODES[code].needsLock === true),
    fix: 'run `lintel lock` with the same paths where the backends can be reached, and commit lintel.lock.json',
  };
  const pods: NotChecked = {
    because: 'not-for-pods',
    codes: ALL.filter(code => CODES[code].needsPods === true),
    fix: 'run `lintel build` with --manifests',
  };
  return [...(hasLock ? [] : [lock]), ...(isForPods ? [] : [pods])];
}
