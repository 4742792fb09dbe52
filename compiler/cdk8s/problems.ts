/** What constructs say is wrong with themselves, with the calls that made it so. */
import type { Construct } from 'constructs';
import type { CallSite } from './origins.ts';

export interface Problem {
  /** One sentence without a full stop. */
  readonly message: string;
  /** What is to be changed; the construct as a whole when not given. */
  readonly given?: CallSite;
}

/** Read by the compiler that runs the program; shared between copies of this module, as recorded origins are. */
const PROBLEMS = Symbol.for('lintel.dev/problems');

interface WithProblems {
  [PROBLEMS]?: readonly Problem[];
}

/** Asks for the problems of a construct whenever its tree is validated. */
export function addValidation(construct: Construct, problems: () => readonly Problem[]): void {
  const validate = (): string[] => {
    const found = distinct(problems());
    (construct as Construct & WithProblems)[PROBLEMS] = found;
    return found.map(({ message }) => message);
  };
  construct.node.addValidation({ validate });
}

/** Each message once: the first call that leads to it tells enough. */
export function distinct(problems: readonly Problem[]): readonly Problem[] {
  const first = new Map<string, Problem>();
  for (const problem of problems) if (!first.has(problem.message)) first.set(problem.message, problem);
  return [...first.values()];
}
