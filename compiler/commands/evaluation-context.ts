import { userInfo } from 'node:os';
import type { EvaluationContext } from '../analysis/access/index.ts';

/** The current time and the user of this process. */
export function createEvaluationContext(): EvaluationContext {
  return { now: Date.now(), user: readUserName() };
}

/** In containers, users often have only a number. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
