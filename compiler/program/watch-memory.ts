import { readFileSync } from 'node:fs';

/** How often a program's memory is measured; milliseconds. Memory fills at a few GB per second at most. */
const EVERY_MS = 20;

/**
 * What Node needs besides a full heap: its code, V8's young generation and its threads. Every program gets this extra, so that a program with a
 * full heap hits the heap's own limit, as on other systems; megabytes.
 */
const OWN_MEGABYTES = 192;

/** Whether the memory of another process can be measured: without `/proc`, only the limit of the heap applies. */
export const CAN_WATCH_MEMORY: boolean = process.platform === 'linux';

/** The total memory that a program may use, in megabytes: a heap of this size plus Node's own share. */
export function limitTotalMemory(maxHeapMegabytes: number): number {
  return maxHeapMegabytes + OWN_MEGABYTES;
}

/**
 * Calls `exceeded` when the total memory of a process, including Buffers and compiled code, exceeds this many megabytes. V8's
 * `--max-old-space-size` only limits objects. The parent measures, because a looping program cannot; `ulimit -v` is unsuitable, because V8
 * reserves many gigabytes of address space that it never uses.
 *
 * @returns a function that ends the watch
 * @see https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
export function watchMemory(pid: number | undefined, maxMegabytes: number, exceeded: () => void): () => void {
  if (pid === undefined || !CAN_WATCH_MEMORY) return () => {};
  const timer = setInterval(() => {
    if (readResidentMegabytes(pid) <= maxMegabytes) return;
    clearInterval(timer);
    exceeded();
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** The memory that a process uses, swapped memory included. It is 0 for a process that has ended. */
function readResidentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = [...status.matchAll(/^(?:VmRSS|VmSwap):\s*(\d+) kB$/gm)].map(([, count]) => Number(count));
    return kilobytes.reduce((sum, count) => sum + count, 0) / 1024;
  } catch {
    return 0;
  }
}
