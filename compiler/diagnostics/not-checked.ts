import { CODES, type DiagnosticCode } from './codes.ts';

/** Codes that a compilation could not judge: that there is no finding of them proves nothing. */
export interface NotChecked {
  readonly because: 'no-lock' | 'not-for-pods';
  /** In the order of their numbers. */
  readonly codes: readonly DiagnosticCode[];
  /** How to have them judged. */
  readonly fix: string;
}

const ALL = (Object.keys(CODES) as DiagnosticCode[]).sort();

/**
 * What is not judged of gateways, and of servers behind one.
 *
 * @param hasLock whether there is a tool lock, all of it sound
 */
export function notChecked(hasLock: boolean, isForPods: boolean): readonly NotChecked[] {
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
