/** What a rule of a schema reads of `self`, as far as its text shows. */
import type { Path } from '../violation.ts';
import { escapedName } from './cel-value.ts';

export interface RuleReads {
  /** Members, by their escaped names, that `has()` asks for. */
  readonly asked: readonly Path[];
  /** Members whose values are read. */
  readonly read: readonly Path[];
}

/** `self` with the members that follow it, but not the name of a method that is called. */
const SELF = /(\bhas\(\s*)?\bself\b((?:\.[A-Za-z_]\w*\b(?!\s*\())*)/g;

/** Undefined for a rule that uses `self` other than through its members. */
export function findRuleReads(rule: string): RuleReads | undefined {
  const asked: Path[] = [];
  const read: Path[] = [];
  for (const [, has, members = ''] of rule.matchAll(SELF)) {
    if (members === '') return undefined;
    (has === undefined ? read : asked).push(members.slice(1).split('.'));
  }
  return { asked, read };
}

/** Is the outcome of the rule the same whatever stands at the doubtful paths, which start at its `self`? */
export function isIndependent(rule: string, doubtful: readonly Path[]): boolean {
  if (doubtful.length === 0) return true;
  const reads = findRuleReads(rule);
  if (reads === undefined) return false;
  return doubtful.every(raw => {
    const path = raw.map(step => (typeof step === 'string' ? escapedName(step) : step));
    return (
      !reads.asked.some(member => startsWith(member, path)) &&
      !reads.read.some(member => startsWith(member, path) || startsWith(path, member))
    );
  });
}

/** The members that may be changed for the rule to hold; the whole of `self` when it is not known which. */
export function membersToChange(rule: string): readonly Path[] {
  const reads = findRuleReads(rule);
  if (reads === undefined) return [[]];
  const all = [...reads.asked, ...reads.read];
  // `has(self.a) && has(self.a.b)` is about `b`.
  return all.filter(path => !all.some(other => other.length > path.length && startsWith(other, path)));
}

export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((step, index) => step === path[index]);
}
