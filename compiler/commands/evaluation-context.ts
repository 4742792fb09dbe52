import { userInfo } from 'node:os';
import type { EvaluationContext } from '../analysis/access/index.ts';

/** The current time and the user of this process. */
export function createEvaluationContext(): EvaluationContext {
  return { now: Date.now(), user: readUserName() };
}

/** The name of the user, or else the number. In a container, a user often has no name; then reading the name throws. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
