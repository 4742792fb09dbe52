/**
 * The command line from source, in one process that a worker keeps for all its files: commands find their modules loaded and compiled, where
 * each process of its own takes half a second of processor time. For tests of what a command reads and writes; those of the process itself
 * (signals, terminals, serving) take `PROGRAM.lintel`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type Outcome, ROOT } from './process.ts';

export interface LintelOptions {
  readonly cwd?: string;
  /** Next to `PATH`, `HOME` and where Node keeps what it compiled, as for a process of its own. */
  readonly env?: { readonly [name: string]: string };
  /** Bytes for standard input. Without it, standard input is empty. */
  readonly input?: string;
}

/** What the kept process gets. */
export interface LintelCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly input: string;
}

let kept: ChildProcess | undefined;
let before: Promise<unknown> = Promise.resolve();

/** Runs a command to its end, after those that were called before. */
export function runLintel(
  args: readonly string[],
  { cwd = ROOT, env = {}, input = '' }: LintelOptions = {},
): Promise<Outcome> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const call: LintelCall = { args, cwd, env: { PATH, HOME, NODE_COMPILE_CACHE, ...env }, input };
  const outcome = before.then(() => answerTo(call));
  before = outcome.catch(() => {});
  return outcome;
}

function answerTo(call: LintelCall): Promise<Outcome> {
  kept ??= started();
  const child = kept;
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null) => {
      kept = undefined;
      reject(new Error(`lintel ${call.args.join(' ')} ended its process: ${signal ?? `exit code ${code}`}`));
    };
    child.once('exit', ended).once('message', (outcome: Outcome) => {
      child.off('exit', ended);
      resolve(outcome);
    });
    child.send(call);
  });
}

/** It ends with the worker, whose end closes the channel. */
function started(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'lintel-process.ts'), {
    cwd: ROOT,
    execArgv: ['--conditions=lintel-source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return child;
}
