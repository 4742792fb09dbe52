import { userInfo } from 'node:os';
import type { Circumstances } from '../analysis/access/index.ts';

/** Now, and the user of this process. */
export function circumstances(): Circumstances {
  return { now: Date.now(), user: userName() };
}

/** In containers, users often have a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
