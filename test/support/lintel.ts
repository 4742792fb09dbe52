/**
 * Runs the command line from source, in one process for all files of a worker: modules stay loaded and compiled, while a process for each
 * command would cost half a second of processor time. For tests of a command's input and output; tests of the process itself (signals,
 * terminals, serving) use `PROGRAM.lintel`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type Outcome, ROOT } from './process.ts';

export interface LintelOptions {
  readonly cwd?: string;
  /** Variables in addition to `PATH`, `HOME` and the folder of Node's compile cache, as for a separate process. */
  readonly env?: { readonly [name: string]: string };
  /** Bytes for standard input. Without it, standard input is empty. */
  readonly input?: string;
}

/** What the shared process receives. */
export interface LintelCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly input: string;
}

let kept: ChildProcess | undefined;
let before: Promise<unknown> = Promise.resolve();

/** Runs a command after the earlier ones, until it ends. */
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

/** Starts the shared process. It ends with Vitest's worker, which closes the channel. */
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
