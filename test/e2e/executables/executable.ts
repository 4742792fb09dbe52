/** A single executable as a process, without other files of Lintel and without environment variables. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Outcome, Output } from '../../support/process.ts';

/** Runs an executable until it exits. There is no `PATH`, so it finds neither Node nor any other program by name. */
export async function run(file: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const child = spawn(file, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [new Output('stdout', child.stdout), new Output('stderr', child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A process that serves; `await using` ends it. */
export class Serving implements AsyncDisposable {
  readonly stderr: Output;
  readonly #stdout: Output;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;

  constructor(file: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#stdout = new Output('stdout', child.stdout);
    this.stderr = new Output('stderr', child.stderr);
    this.#ended = once(child, 'close');
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  async announcement<T>(): Promise<T> {
    return JSON.parse(await this.#stdout.next(/^\{.*\}\n/));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
