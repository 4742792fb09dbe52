/** The end of `npm run`, which hands SIGTERM on to a shell alone: that ends, and does not end us. */
import { setTimeout } from 'node:timers/promises';

/** How often is looked; milliseconds. */
const INTERVAL_MS = 500;

/** Resolves when the shell of `npm run` is gone. Started in another way, we may outlive who started us. */
export async function parentIsGone() {
  if (process.env.npm_lifecycle_event !== 'quickstart') return new Promise(() => {});
  const parent = process.ppid;
  while (process.ppid === parent) await setTimeout(INTERVAL_MS, undefined, { ref: false });
  return 'the end of npm';
}
