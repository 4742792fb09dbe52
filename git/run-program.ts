/** One process of git or of gpg, from its start until it and all that it started are gone. */
import { spawn } from 'node:child_process';

/** The end of what is written on standard error is kept, in bytes: the reason is there. */
const MAX_STDERR_BYTES = 16 * 1024;

export interface ProgramRun {
  readonly program: 'git' | 'gpg';
  /** One text for each argument: there is no shell. */
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Kills it with everything that it started. */
  readonly signal: AbortSignal;
  /** Limit on standard output, in bytes. */
  readonly maxBytes: number;
  /** For its standard input, which is empty without it. */
  readonly input?: string | undefined;
}

export interface ProgramOutput {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** It wrote more than `maxBytes`, and was killed. */
  readonly isCut: boolean;
}

/**
 * Runs a program to its end.
 *
 * @throws the reason of the signal, once no process is left, and errors of `spawn` (`ENOENT`: there is no such program)
 */
export function runProgram(run: ProgramRun): Promise<ProgramOutput> {
  const { program, args, env, cwd, signal, maxBytes, input } = run;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A process group of its own: the helpers that speak HTTP or ssh are reached by the same kill. And no terminal to ask on.
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
    // It may end before it has read all; how it ended says why.
    child.stdin?.on('error', () => {}).end(input);
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', error => {
      signal.removeEventListener('abort', kill);
      reject(error);
    });
    // `close`, not `exit`: no process holds its output any more then.
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
    // It ended meanwhile.
  }
}
