/** The members of `self` that a rule reads, according to its text. */
import type { Path } from '../violation.ts';
import { escapeCelName } from './cel-value.ts';

export interface RuleReads {
  /** Members that `has()` tests, by escaped name. */
  readonly tested: readonly Path[];
  /** Members whose values are read. */
  readonly read: readonly Path[];
}

/** `self` and the members that follow it, except the name of a called method. */
const SELF = /(\bhas\(\s*)?\bself\b((?:\.[A-Za-z_]\w*\b(?!\s*\())*)/g;

/** Undefined for a rule that uses `self` other than through its members. */
export function findRuleReads(rule: string): RuleReads | undefined {
  const tested: Path[] = [];
  const read: Path[] = [];
  for (const [, has, members = ''] of rule.matchAll(SELF)) {
    if (members === '') return undefined;
    (has === undefined ? read : tested).push(members.slice(1).split('.'));
  }
  return { tested, read };
}

/** Whether the outcome of the rule is independent of the doubtful paths, which start at its `self`. */
export function isIndependent(rule: string, doubtful: readonly Path[]): boolean {
  if (doubtful.length === 0) return true;
  const reads = findRuleReads(rule);
  if (reads === undefined) return false;
  return doubtful.every(raw => {
    const path = raw.map(step => (typeof step === 'string' ? escapeCelName(step) : step));
    return (
      !reads.tested.some(member => startsWith(member, path)) &&
      !reads.read.some(member => startsWith(member, path) || startsWith(path, member))
    );
  });
}

/** The members that may be changed to satisfy the rule; all of `self` when unknown. */
export function listMembersToChange(rule: string): readonly Path[] {
  const reads = findRuleReads(rule);
  if (reads === undefined) return [[]];
  const all = [...reads.tested, ...reads.read];
  // A rule `has(self.a) && has(self.a.b)` is about `b`: `a` is left out, because it only leads there.
  return all.filter(path => !all.some(other => other.length > path.length && startsWith(other, path)));
}

export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((step, index) => step === path[index]);
}
