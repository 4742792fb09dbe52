/** The process that runs a program. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { PendingHandle, RunRequest, RunResult } from './child/exchange.ts';
import { parseFrames } from './child/frames.ts';
import { killWithParent } from './kill-with-parent.ts';
import { readMessages } from './read-messages.ts';
import type { Frame } from './synthesized.ts';
import { limitTotalMemory, watchMemory } from './watch-memory.ts';

export interface RunLimits {
  /** Time for the whole run, from start to end; milliseconds. */
  readonly deadlineMs: number;
  /** Maximum size of the heap. The process may use more memory by as much as Node itself needs; see `watchMemory`. */
  readonly maxHeapMegabytes: number;
  /** Maximum size of the program's result as JSON, in bytes. */
  readonly maxResultBytes: number;
  /** The total memory at which the program is interrupted as at its deadline, so that it reports its position. */
  readonly interruptAtMegabytes?: number;
}

export const DEFAULT_RUN_LIMITS: RunLimits = {
  deadlineMs: 30_000,
  maxHeapMegabytes: 1024,
  maxResultBytes: 64 * 1024 * 1024,
};

/** How much of the end of standard error is kept; bytes. */
const MAX_STDERR_BYTES = 64 * 1024;

/** How long an interrupted process may take to report its position. On a machine that is ten times too busy, it takes a second. */
const MAX_INTERRUPT_MS = 5000;

/** Node's message before the stack of an interrupted program. */
const INTERRUPTED = /KEYBOARD_INTERRUPT: .*\n((?: +at .*\n)+)/g;

export type EndedRun = {
  /** Why there is no result. */
  readonly reason: 'result' | 'deadline' | 'result-too-large' | 'out-of-memory' | 'unreadable' | 'died';
  readonly result?: RunResult;
  /** Where the program was when its time was up, if known. */
  readonly frames: readonly Frame[];
  /** The pending operation that the program waited for. */
  readonly stillOpen?: PendingHandle | undefined;
  /** The exit code or signal of the process. */
  readonly by?: string;
  readonly elapsedMs: number;
  /** Whether the program wrote to standard output, by any way. */
  readonly hasPrinted: boolean;
};

const ENTRY = import.meta.url.endsWith('.ts') ? './child/main.ts' : './lintel-program.js';

/**
 * Runs a bundled program. It may read some folders and files; it may not write, start processes or workers, load addons or be inspected.
 *
 * @param readable absolute folders and files
 * @param environment all variables that the program sees
 * @throws AbortError when `signal` ends it
 * @see https://nodejs.org/api/permissions.html
 */
export function runProcess(
  request: Omit<RunRequest, 'mark' | 'reportEveryMs'>,
  readable: readonly string[],
  environment: Readonly<Record<string, string>>,
  limits: RunLimits,
  signal?: AbortSignal,
): Promise<EndedRun> {
  const main = fileURLToPath(new URL(ENTRY, import.meta.url));
  const ownFolder = fileURLToPath(new URL('.', import.meta.url));
  const args = [
    '--permission',
    ...[ownFolder, ...readable].map(folder => `--allow-fs-read=${folder}`),
    // From Node 25 on, permissions cover the network.
    ...(request.allowNetwork && process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    // Permissions do not cover Node's databases, which can write anywhere.
    ...(process.allowedNodeEnvironmentFlags.has('--no-experimental-sqlite') ? ['--no-experimental-sqlite'] : []),
    `--max-old-space-size=${limits.maxHeapMegabytes}`,
    // Reports the position of a loop from a thread inside of Node, which the program cannot use.
    '--trace-sigint',
    '--no-warnings',
    main,
  ];
  const child = spawn(process.execPath, args, {
    cwd: request.folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  killWithParent(child);
  const [stdin, stdout, stderr, results] = child.stdio as unknown as [
    NodeJS.WritableStream,
    Readable,
    Readable,
    Readable,
  ];
  const started = performance.now();
  let reason: EndedRun['reason'] | undefined;
  let grace: NodeJS.Timeout | undefined;
  const end = (why: EndedRun['reason']) => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const interrupt = () => {
    if (grace !== undefined) return;
    reason ??= 'deadline';
    child.kill('SIGINT');
    grace = setTimeout(end, MAX_INTERRUPT_MS, 'deadline');
  };
  const timer = setTimeout(interrupt, limits.deadlineMs);
  const watches = [watchMemory(child.pid, limitTotalMemory(limits.maxHeapMegabytes), () => end('out-of-memory'))];
  if (limits.interruptAtMegabytes !== undefined)
    watches.push(watchMemory(child.pid, limits.interruptAtMegabytes, interrupt));
  const unwatch = () => {
    for (const endWatch of watches) endWatch();
  };
  let hasPrinted = false;
  stdout.on('data', () => {
    hasPrinted = true;
  });
  const complained = keepLast(stderr, MAX_STDERR_BYTES);
  const readResults = collect(results, limits.maxResultBytes, () => end('result-too-large'));
  // The process may end before it has read everything.
  stdin.on('error', () => {});
  const mark = randomUUID();
  const sent: RunRequest = { ...request, mark, reportEveryMs: limits.deadlineMs / 8 };
  stdin.end(JSON.stringify(sent));
  return new Promise((resolve, reject) => {
    child.once('error', error => {
      clearTimeout(timer);
      unwatch();
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      unwatch();
      clearTimeout(grace);
      const complaint = complained();
      const [, stack = ''] = [...complaint.matchAll(INTERRUPTED)].at(-1) ?? [];
      const messages = readMessages(readResults(), mark);
      const { result, stillOpen } = messages ?? {};
      const elapsedMs = performance.now() - started;
      const ended = { frames: parseFrames(stack, request.url), stillOpen, elapsedMs, hasPrinted };
      if (reason !== undefined) resolve({ reason, ...ended });
      else if (messages === undefined) resolve({ reason: 'unreadable', ...ended });
      else if (result !== undefined) resolve({ reason: 'result', result, ...ended });
      else if (/JavaScript heap out of memory|invalid (?:array|table) size|Zone/i.test(complaint)) {
        resolve({ reason: 'out-of-memory', ...ended });
      } else resolve({ reason: 'died', by: signal ?? `exit code ${code}`, ...ended });
    });
  });
}

/** Reads a whole stream up to a limit. */
function collect(stream: Readable, maxBytes: number, exceeded: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) exceeded();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Reads a whole stream and keeps its last bytes: the cause of a crash comes last. */
function keepLast(stream: Readable, maxBytes: number): () => string {
  let buffered = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]).subarray(-maxBytes);
  });
  return () => buffered.toString('utf8');
}
