/** One git process, from its start until it and all that it started are gone. */
import { spawn } from 'node:child_process';

/** The end of what git writes on standard error is kept, in bytes: the reason is there. */
const MAX_STDERR_BYTES = 16 * 1024;

export interface GitRun {
  /** One text for each argument: there is no shell. */
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Kills it with everything that it started. */
  readonly signal: AbortSignal;
  /** Ceiling on standard output, in bytes. */
  readonly maxBytes: number;
}

export interface GitOutput {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** It wrote more than `maxBytes`, and was killed. */
  readonly isCut: boolean;
}

/**
 * Runs git to its end.
 *
 * @throws the reason of the signal, once no process is left, and errors of `spawn` (`ENOENT`: there is no git)
 */
export function runGit({ args, env, cwd, signal, maxBytes }: GitRun): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A process group of its own: the helpers that speak HTTP are reached by the same kill. And no terminal to ask on.
    const child = spawn('git', args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    let length = 0;
    let stderr = Buffer.alloc(0);
    const kill = () => killGroup(child.pid);
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) kill();
      else stdout.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR_BYTES);
    });
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', error => {
      signal.removeEventListener('abort', kill);
      reject(error);
    });
    // `close`, not `exit`: nobody holds its output any more then.
    child.once('close', code => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      else resolve({ code, stdout: Buffer.concat(stdout), stderr: stderr.toString('utf8'), isCut: length > maxBytes });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
