/** Problems that constructs report about themselves, with the calls that caused them. */
import type { Construct } from 'constructs';
import type { CallSite } from './origins.ts';

export interface ConstructProblem {
  /** The problem in one sentence without a full stop. */
  readonly message: string;
  /** The value to change; by default the construct as a whole. */
  readonly callSite?: CallSite;
}

/** The symbol under which constructs report problems to the compiler that runs the program. It is the same in every copy of this module. */
const PROBLEMS = Symbol.for('lintel.dev/problems');

interface WithProblems {
  [PROBLEMS]?: readonly ConstructProblem[];
}

/** Collects the problems of a construct whenever its tree is validated. */
export function addValidation(construct: Construct, problems: () => readonly ConstructProblem[]): void {
  const validate = (): string[] => {
    const found = distinct(problems());
    (construct as Construct & WithProblems)[PROBLEMS] = found;
    return found.map(({ message }) => message);
  };
  construct.node.addValidation({ validate });
}

/** The problems with each message once, at the first call that causes it. */
export function distinct(problems: readonly ConstructProblem[]): readonly ConstructProblem[] {
  const first = new Map<string, ConstructProblem>();
  for (const problem of problems) if (!first.has(problem.message)) first.set(problem.message, problem);
  return [...first.values()];
}
