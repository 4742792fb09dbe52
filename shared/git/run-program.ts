/** One Git or gpg process with all its children, from start to end. */
import { spawn } from 'node:child_process';

/** How much of the end of standard error is kept, in bytes: it contains the reason. */
const MAX_STDERR_BYTES = 16 * 1024;

export interface ProgramRun {
  readonly program: 'git' | 'gpg';
  /** The arguments, one text for each: no shell splits them. */
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Kills the process with all its children. */
  readonly signal: AbortSignal;
  /** Limit on standard output, in bytes. */
  readonly maxBytes: number;
  /** Standard input; default: empty. */
  readonly input?: string | undefined;
}

export interface ProgramOutput {
  /** The exit code; null when a signal ended the process. */
  readonly code: number | null;
  /** The signal that ended the process; null when it ended by itself. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Whether the output exceeded `maxBytes`, so that the process was killed. */
  readonly isCut: boolean;
}

/**
 * Runs a program to its end.
 *
 * @throws the reason of the signal, once all processes have ended, and errors of `spawn` (`ENOENT`: the program is missing)
 */
export function runProgram(run: ProgramRun): Promise<ProgramOutput> {
  const { program, args, env, cwd, signal, maxBytes, input } = run;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // The process gets a group of its own, so that one kill also reaches the helpers for HTTP and ssh. It gets no terminal to prompt on.
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(program, args, { env, cwd, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    let length = 0;
    let stderr = Buffer.alloc(0);
    const kill = () => killGroup(child.pid);
    child.stdout?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) kill();
      else stdout.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR_BYTES);
    });
    // The process may end before it has read everything; its exit code says why.
    child.stdin?.on('error', () => {}).end(input);
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', error => {
      signal.removeEventListener('abort', kill);
      reject(error);
    });
    // The event `close` and not `exit`: after `close`, no process can write output any more.
    child.once('close', (code, endedBy) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const texts = { stdout: Buffer.concat(stdout), stderr: stderr.toString('utf8') };
      resolve({ code, signal: endedBy, ...texts, isCut: length > maxBytes });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
