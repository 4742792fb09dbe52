/**
 * Notices the end of `npm run`. When npm gets SIGTERM, it forwards the signal only to the shell that runs the script. The shell ends without
 * ending this process.
 */
import { setTimeout } from 'node:timers/promises';

/** How often the id of the parent process is compared; milliseconds. */
const INTERVAL_MS = 500;

/** Resolves when the shell of `npm run` has ended. If this process was started without npm, it never resolves: then the parent may end first. */
export async function parentIsGone() {
  if (process.env.npm_lifecycle_event !== 'quickstart') return new Promise(() => {});
  const parent = process.ppid;
  while (process.ppid === parent) await setTimeout(INTERVAL_MS, undefined, { ref: false });
  return 'the end of npm';
}
