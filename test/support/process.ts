/** Runs the built programs as real processes: either to their end, or until the test stops them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';

export const ROOT: string = resolve(import.meta.dirname, '..', '..');

/** The paths of the programs that `npm run build` makes. */
export const PROGRAM = {
  lintel: join(ROOT, 'dist', 'lintel.js'),
  runtime: join(ROOT, 'dist', 'lintel-runtime.js'),
  controller: join(ROOT, 'dist', 'lintel-controller.js'),
  bridge: join(ROOT, 'dist', 'lintel-bridge.js'),
} as const;

/** How long a program may take to do what a test waits for; milliseconds. Far more than it takes: a machine may be ten times busier. */
const LIMIT_MS = 100_000;

/** Between two checks of `eventually`; milliseconds. Most waits are short. In a long wait, checks would take the processor from what the test waits for. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** How long a program may take to exit after the end of its output; milliseconds. */
const END_MS = 200;

export interface ProcessOptions {
  readonly cwd?: string;
  /**
   * Variables in addition to `PATH`, `HOME` and the folder of Node's compile cache. The program inherits no others, so that no setting of the
   * machine changes a result.
   */
  readonly env?: { readonly [name: string]: string };
  /** Bytes for standard input, which ends after them. Without it, standard input is empty. */
  readonly input?: string;
  /** Whether the program gets a process group of its own, as from a shell. One Ctrl-C reaches all processes of the group. */
  readonly ownGroup?: boolean;
  /** How long the program may run; milliseconds. */
  readonly limitMs?: number;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
}

export interface Outcome {
  /** The exit code; null when a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of Lintel's scripts to its end. */
export async function run(script: string, args: readonly string[], options: ProcessOptions = {}): Promise<Outcome> {
  await using program = start(script, args, options);
  const code = await program.exitCode();
  return { code, stdout: program.stdout.text, stderr: program.stderr.text };
}

/** Starts one of Lintel's scripts; `await using` stops it. */
export function start(script: string, args: readonly string[], options: ProcessOptions = {}): Program {
  return new Program(script, args, options);
}

export class Program implements AsyncDisposable {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly #child: ChildProcess;
  readonly #ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly #exited: Promise<void>;
  readonly #limitMs: number;

  constructor(
    script: string,
    args: readonly string[],
    { cwd, env, input, ownGroup, limitMs, nodeOptions = [] }: ProcessOptions,
  ) {
    this.#limitMs = limitMs ?? LIMIT_MS;
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [...nodeOptions, script, ...args], {
      cwd: cwd ?? ROOT,
      env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
      detached: ownGroup ?? false,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.stdout = new Output('stdout', child.stdout, () => `; ${this.#describe()}; stderr: ${this.stderr.text}`);
    this.stderr = new Output('stderr', child.stderr, () => `; ${this.#describe()}`);
    // At `close`, unlike at `exit`, all output has been read.
    this.#ended = new Promise((resolve, reject) =>
      child.once('close', (code, signal) => resolve({ code, signal })).once('error', reject),
    );
    this.#exited = new Promise(resolve => child.once('exit', () => resolve()));
    // A program may end without reading its input: that must not fail the test.
    child.stdin.on('error', () => {}).end(input ?? '');
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** The JSON in the first line on standard output, which one of Lintel's servers prints once it listens. */
  async announcement<T>(): Promise<T> {
    return JSON.parse(await this.stdout.next(/^.*\n/)) as T;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #describe(): string {
    const { exitCode, signalCode } = this.#child;
    if (signalCode !== null) return `the program ended by ${signalCode}`;
    return exitCode === null ? 'the program still runs' : `the program ended with exit code ${exitCode}`;
  }

  /** Sends a signal to the program and all processes that it started, as Ctrl-C in a terminal does. Needs `ownGroup`. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** Waits for the program's end. Returns the exit code, or null after a signal. */
  async exitCode(): Promise<number | null> {
    const message = () => `the program still runs; stderr: ${this.stderr.text}`;
    return (await within(this.#limitMs, this.#ended, message)).code;
  }

  /** Waits for the program's end, however long that takes. Resolves with how it ended, in words. */
  get ending(): Promise<string> {
    return this.#ended.then(({ code, signal }) => (signal === null ? `exit code ${code}` : `signal ${signal}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.kill('SIGTERM');
    try {
      await within(5_000, this.#ended, () => 'the program ignores SIGTERM');
    } catch {
      this.kill('SIGKILL');
      await this.#exited;
      // Processes that the program started may still run and hold the other ends, so their output is not awaited.
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
      await this.#ended;
    }
  }
}

/** The text that a program has written to one of its streams. */
export class Output {
  text = '';
  readonly #name: string;
  readonly #stream: Readable;
  readonly #describeProgram: () => string;
  /** Where the next search starts. */
  #from = 0;

  /** @param describeProgram describes the program's state, for the message about a text that does not come */
  constructor(name: string, stream: Readable, describeProgram: () => string = () => '') {
    this.#name = name;
    this.#describeProgram = describeProgram;
    this.#stream = stream.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk;
    });
  }

  /**
   * Waits for a text that follows the one that the last call has found, and returns it.
   *
   * @throws Error when the stream ends without the text, and when the text takes too long
   */
  async next(pattern: RegExp): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const describe = () => `no ${pattern} in ${this.#name}: ${this.text.slice(this.#from)}${this.#describeProgram()}`;
    const look = () => {
      const match = pattern.exec(this.text.slice(this.#from));
      if (match === null) return;
      this.#from += match.index + match[0].length;
      resolve(match[0]);
    };
    // A stream's `close` comes before the program's exit code is known, which the message contains.
    const onEnd = () => setTimeout(() => reject(new Error(describe())), END_MS);
    this.#stream.on('data', look).once('close', onEnd);
    look();
    if (this.#stream.closed) onEnd();
    try {
      return await within(LIMIT_MS, promise, describe);
    } finally {
      this.#stream.off('data', look).off('close', onEnd);
    }
  }
}

async function within<T>(limitMs: number, promise: Promise<T>, message: () => string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`after ${limitMs} ms: ${message()}`)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until `check` returns a truthy value, and returns it. Fails with the last value after `limitMs`. */
export async function eventually<T>(check: () => Promise<T> | T, limitMs = LIMIT_MS): Promise<NonNullable<T>> {
  const end = performance.now() + Math.max(limitMs, LIMIT_MS);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const value = await check();
    if (value) return value as NonNullable<T>;
    if (performance.now() > end) throw new Error(`did not come true within ${limitMs} ms: ${JSON.stringify(value)}`);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}

/** Whether a server accepts connections at the host and port of a URL. */
export function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** A folder that `await using` removes. */
export class TemporaryFolder implements AsyncDisposable {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Writes files by their paths relative to the folder, and creates the folders in between. */
  async write(files: { readonly [path: string]: string }): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(this.file(path)), { recursive: true });
      await writeFile(this.file(path), text);
    }
  }

  /** Writes a file in one step, so that no watcher reads half of it. */
  async replace(path: string, text: string): Promise<void> {
    const beside = `${this.path}.new`;
    await writeFile(beside, text);
    await rename(beside, this.file(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 10 });
  }
}

export async function temporaryFolder(files: { readonly [path: string]: string } = {}): Promise<TemporaryFolder> {
  const folder = new TemporaryFolder(await mkdtemp(join(tmpdir(), 'lintel-e2e-')));
  await folder.write(files);
  return folder;
}
