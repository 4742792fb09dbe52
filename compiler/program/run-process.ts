/** The process in which a program runs. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { RunRequest, RunResult } from './child/exchange.ts';

export interface RunLimits {
  /** From start to end; milliseconds. */
  readonly deadlineMs: number;
  readonly maxHeapMegabytes: number;
  /** Of what the program gives, as JSON; bytes. */
  readonly maxResultBytes: number;
}

export const DEFAULT_RUN_LIMITS: RunLimits = {
  deadlineMs: 30_000,
  maxHeapMegabytes: 1024,
  maxResultBytes: 64 * 1024 * 1024,
};

/** What is kept of each of the program's outputs; bytes. */
const MAX_OUTPUT_BYTES = 64 * 1024;

export type Ended = {
  /** Nothing where there is no result. */
  readonly reason: 'result' | 'deadline' | 'result-too-large' | 'out-of-memory' | 'died';
  readonly result?: RunResult;
  /** What was printed, cut at a ceiling. */
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code or signal of a process that died. */
  readonly by?: string;
};

const ENTRY = import.meta.url.endsWith('.ts') ? './child/main.ts' : './lintel-program.js';

/**
 * Runs a bundled program. It may read some folders; it may not write, start processes or workers, load addons or be inspected.
 *
 * @param readable absolute folders
 * @param environment all that the program is told
 * @see https://nodejs.org/api/permissions.html
 */
export function runProcess(
  request: RunRequest,
  readable: readonly string[],
  environment: Readonly<Record<string, string>>,
  limits: RunLimits,
): Promise<Ended> {
  const main = fileURLToPath(new URL(ENTRY, import.meta.url));
  const ownFolder = fileURLToPath(new URL('.', import.meta.url));
  const args = [
    '--permission',
    ...[ownFolder, ...readable].map(folder => `--allow-fs-read=${folder}`),
    // From Node 25 on, permissions include the network.
    ...(request.allowNetwork && process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    `--max-old-space-size=${limits.maxHeapMegabytes}`,
    '--no-warnings',
    main,
  ];
  const child = spawn(process.execPath, args, {
    cwd: request.folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [stdin, stdout, stderr, results] = child.stdio as unknown as [
    NodeJS.WritableStream,
    Readable,
    Readable,
    Readable,
  ];
  let reason: Ended['reason'] | undefined;
  const end = (why: Ended['reason']) => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(end, limits.deadlineMs, 'deadline');
  const printed = collect(stdout, MAX_OUTPUT_BYTES);
  const complained = collect(stderr, MAX_OUTPUT_BYTES);
  const told = collect(results, limits.maxResultBytes, () => end('result-too-large'));
  // It may end before it has read everything.
  stdin.on('error', () => {});
  stdin.end(JSON.stringify(request));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const outputs = { stdout: printed(), stderr: complained() };
      if (reason !== undefined) resolve({ reason, ...outputs });
      else if (told() !== '') resolve({ reason: 'result', result: JSON.parse(told()) as RunResult, ...outputs });
      else if (/JavaScript heap out of memory|invalid (?:array|table) size|Zone/i.test(outputs.stderr)) {
        resolve({ reason: 'out-of-memory', ...outputs });
      } else resolve({ reason: 'died', by: signal ?? `exit code ${code}`, ...outputs });
    });
  });
}

/** Reads a stream to its end and keeps its beginning. */
function collect(stream: Readable, ceiling: number, exceeded?: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < ceiling) chunks.push(chunk.subarray(0, ceiling - size));
    size += chunk.length;
    if (size > ceiling) exceeded?.();
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
