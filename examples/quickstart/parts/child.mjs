/** A program that the quickstart starts and stops, with its first line of output and its last lines of standard error. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Failure } from './failure.mjs';

/** How many of the last lines of standard error the message quotes if the program ends unexpectedly. */
const TAIL_LINES = 20;

/** How long a child may take to stop before it is killed; milliseconds. */
const STOP_LIMIT_MS = 5_000;

/**
 * Delay before an exit of a child counts as a failure; milliseconds. Ctrl-C reaches the quickstart and its children at the same time, so a
 * child may end before the quickstart stops it; this is no failure.
 */
const VERDICT_DELAY_MS = 200;

export class Child {
  #process;
  #exited;
  #stopping = false;
  #announced = Promise.withResolvers();
  /** @type {string[]} */
  #tail = [];
  /** @type {((line: string) => void) | undefined} */
  #follower;

  /**
   * @param {object} options
   * @param {string} options.name for messages
   * @param {string[]} options.args script and arguments for Node
   * @param {string} options.cwd
   * @param {(failure: Failure) => void} options.onDeath called if the program ends before `stop` was called
   */
  constructor({ name, args, cwd, onDeath }) {
    this.name = name;
    this.#process = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#exited = new Promise(resolve => {
      this.#process.once('error', error => resolve(error.message));
      this.#process.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    createInterface({ input: this.#process.stdout }).once('line', line => this.#announced.resolve(line));
    createInterface({ input: this.#process.stderr }).on('line', line => this.#heard(line));
    void this.#exited.then(how => {
      if (this.#stopping) return;
      setTimeout(() => onDeath(new Failure(`${name} ended by itself (${how})${this.#lastWords()}`)), VERDICT_DELAY_MS);
    });
  }

  /**
   * The child's first line of standard output, parsed as JSON. The child prints it when it is ready.
   *
   * @param {number} [limitMs] how long to wait; without a limit, forever
   * @throws {Failure}
   */
  async announcement(limitMs) {
    const line = await (limitMs === undefined ? this.#announced.promise : this.#announcedWithin(limitMs));
    try {
      return JSON.parse(line);
    } catch {
      throw new Failure(`${this.name} printed something else than a line of JSON: ${line}`);
    }
  }

  /** The last lines of standard error. */
  get tail() {
    return this.#tail.join('\n');
  }

  /** Passes each further line of standard error to `show`. */
  follow(show) {
    this.#follower = show;
  }

  /** Asks the child to end and waits until it has. */
  async stop() {
    this.#stopping = true;
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  async #announcedWithin(limitMs) {
    const { promise: late, reject } = Promise.withResolvers();
    const message = () => `${this.name} was not ready within ${limitMs / 1000} s${this.#lastWords()}`;
    const timer = setTimeout(() => reject(new Failure(message())), limitMs);
    try {
      return await Promise.race([this.#announced.promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #heard(line) {
    this.#tail = [...this.#tail, line].slice(-TAIL_LINES);
    this.#follower?.(line);
  }

  #lastWords() {
    if (this.#tail.length === 0) return ' without a word';
    return `; it said:\n${this.#tail.map(line => `  ${line}`).join('\n')}`;
  }
}
