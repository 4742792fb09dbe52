import { readFileSync } from 'node:fs';

/** How often the memory of a program is looked at; milliseconds. Memory is filled at some GB a second at most. */
const EVERY_MS = 20;

/**
 * What Node itself takes in addition to a full heap: its code, the young generation of V8 and its threads. It is left to each program,
 * so that a program whose heap is full ends by the heap's own limit, as on other systems; megabytes.
 */
const OWN_MEGABYTES = 192;

/**
 * Calls `exceeded` once all memory of a process, Buffers and what is compiled included, is more than a heap of this size and Node
 * itself need. V8 keeps to `--max-old-space-size` for objects alone. Looked at from outside, since a program that loops looks at
 * nothing; `ulimit -v` would not do, as V8 reserves many gigabytes of addresses that it never fills.
 *
 * On systems without `/proc` the limit of the heap is the only one.
 *
 * @returns ends the watch
 * @see https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
export function watchMemory(pid: number | undefined, maxHeapMegabytes: number, exceeded: () => void): () => void {
  if (pid === undefined || process.platform !== 'linux') return () => {};
  const timer = setInterval(() => {
    if (residentMegabytes(pid) <= maxHeapMegabytes + OWN_MEGABYTES) return;
    clearInterval(timer);
    exceeded();
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** 0 for a process that has ended. Swapped memory counts too: it was filled. */
function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = [...status.matchAll(/^(?:VmRSS|VmSwap):\s*(\d+) kB$/gm)].map(([, count]) => Number(count));
    return kilobytes.reduce((sum, count) => sum + count, 0) / 1024;
  } catch {
    return 0;
  }
}
