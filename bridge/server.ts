/** One stdio server: the processes that run it, and when the next one may start. */

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StdioPlan } from '#schemas';
import { findCommand } from '#shared/util';
import type { Logger } from './log.ts';
import { DeferredLog } from './process/deferred-log.ts';
import { buildEnvironment, MissingSecretError } from './process/environment.ts';
import { ProcessGroup } from './process/group.ts';
import { Program, type ProgramOwner } from './process/program.ts';
import { Redactor } from './process/redactor.ts';
import { RepeatedFailures } from './process/repeated-failures.ts';
import { RestartBackoff, SETTLED_MS } from './process/restart-backoff.ts';

/** A session cannot be opened now. The message is for the caller and contains no secret. */
export class UnavailableError extends Error {
  /** When another try may succeed; milliseconds. */
  readonly retryMs: number | undefined;

  constructor(message: string, retryMs?: number) {
    super(message);
    this.retryMs = retryMs;
  }
}

/** The longest time that opening a session waits for the next start; milliseconds. */
const MAX_WAIT_MS = 1_000;

export interface ServerContext {
  readonly log: Logger;
  /** Environment of the bridge. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** The command that starts a shell, split into words. */
  readonly shell: readonly string[];
}

export class StdioServer {
  readonly name: string;
  readonly plan: StdioPlan;
  readonly log: Logger;
  readonly #context: ServerContext;
  readonly #programs: Set<Program> = new Set();
  readonly #backoff: RestartBackoff = new RestartBackoff();
  readonly #repeated: RepeatedFailures = new RepeatedFailures();
  /** The reason that was last logged as an error. */
  #loggedReason: string | undefined;
  #starting = 0;
  #isClosed = false;

  constructor(name: string, plan: StdioPlan, context: ServerContext) {
    this.name = name;
    this.plan = plan;
    this.#context = context;
    this.log = context.log.child({ server: name });
  }

  get processCount(): number {
    return this.#programs.size;
  }

  /**
   * Starts a process.
   *
   * @throws UnavailableError
   */
  async start(owner: ProgramOwner): Promise<Program> {
    const { maxProcesses } = this.plan;
    if (this.#programs.size + this.#starting >= maxProcesses)
      throw new UnavailableError(
        `${maxProcesses} processes of the server run already, which is its limit (maxProcesses)`,
      );
    this.#starting += 1;
    try {
      await this.#waitForTurn();
      return await this.#start(owner);
    } finally {
      this.#starting -= 1;
    }
  }

  /** Called when a process ended before it was ready. */
  failed(reason: string): void {
    this.#backoff.failed(reason);
  }

  /** Ends the programs that exceed their memory limit. `memory`: resident bytes by process group. */
  holdTo(memory: ReadonlyMap<number, number>): void {
    for (const program of this.#programs) {
      const bytes = memory.get(program.pid) ?? 0;
      if (bytes <= this.plan.maxMemoryBytes) continue;
      const megabytes = Math.round(this.plan.maxMemoryBytes / 2 ** 20);
      this.log.error({ pid: program.pid, bytes }, 'the server is stopped: it uses more memory than its limit');
      program.kill(`was stopped: it used more than ${megabytes} MiB of memory (resources.limits.memory)`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#programs].map(program => program.end('was stopped')));
  }

  async #waitForTurn(): Promise<void> {
    const waitMs = this.#backoff.waitMs();
    if (waitMs > MAX_WAIT_MS)
      throw new UnavailableError(
        `it failed ${this.#backoff.failures} times in a row and starts again in ${Math.ceil(waitMs / 1000)} s; the server ${this.#backoff.reason}`,
        waitMs,
      );
    if (waitMs > 0) await sleep(waitMs);
    if (this.#isClosed) throw new UnavailableError('it was stopped');
  }

  async #start(owner: ProgramOwner): Promise<Program> {
    const { env, folder, shell } = this.#context;
    const { command, workingDir } = this.plan;
    const { variables, secrets, args } = this.#buildEnvironment();
    const at = workingDir === null ? folder : resolve(folder, workingDir);
    const file = findCommand(command, at, variables.PATH ?? env.PATH ?? '');
    if (file === undefined)
      throw this.#createUnavailable(
        command.includes('/')
          ? `cannot be started: ${command} is not a program that can be run from ${at}`
          : `cannot be started: there is no program ${command} on PATH`,
      );
    let group: ProcessGroup;
    try {
      group = await ProcessGroup.start({ shell, command: file, args, folder: at, variables });
    } catch (error) {
      // Node names the shell in this error, whether the shell or the folder is missing.
      throw this.#createUnavailable(
        `cannot be started in ${at}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`,
      );
    }
    this.#loggedReason = undefined;
    const startedAt = performance.now();
    const { failures } = this.#backoff;
    const own = this.log.child({ pid: group.pid });
    const log = new DeferredLog(own, failures > 0);
    log.info({ command }, 'the server was started');
    const settling = setTimeout(() => {
      log.release();
      if (failures > 0) own.info({ failures }, 'the server runs again');
    }, SETTLED_MS).unref();
    const program: Program = new Program(
      group,
      {
        received: (text, message, kind) => owner.received(text, message, kind),
        lost: (id, bytes) => owner.lost(id, bytes),
        ended: (reason, wasAsked) => {
          clearTimeout(settling);
          this.#programs.delete(program);
          // The bridge ends a process that does not answer, and counts this as a failure.
          const hasFailed = !wasAsked || reason === this.#backoff.reason;
          if (!wasAsked) this.#backoff.ended(reason, performance.now() - startedAt);
          if (hasFailed) this.#logFailure(own, log, reason);
          else {
            this.#backoff.served();
            log.release();
            own.info({ reason }, 'the server has ended');
          }
          owner.ended(reason, wasAsked);
        },
      },
      log,
      new Redactor(secrets),
    );
    this.#programs.add(program);
    // The server may have been stopped while its process started.
    if (this.#isClosed) void program.end('was stopped');
    return program;
  }

  /** Logs a failure with its reason. If the same failure repeats, it is logged each time the number of failures has doubled. */
  #logFailure(log: Logger, deferredLog: DeferredLog, reason: string): void {
    const { failures } = this.#backoff;
    const change = this.#repeated.add(reason, failures);
    if (change === 'reason') deferredLog.release();
    const nextStartMs = Math.round(this.#backoff.waitMs());
    if (failures <= 1) log.warn({ reason }, 'the server has ended');
    else log[change === 'none' ? 'debug' : 'warn']({ reason, failures, nextStartMs }, 'the server has ended again');
  }

  #buildEnvironment() {
    try {
      return buildEnvironment(this.plan, this.#context.env);
    } catch (error) {
      if (error instanceof MissingSecretError) throw this.#createUnavailable(`cannot be started: ${error.message}`);
      throw error;
    }
  }

  #createUnavailable(reason: string): UnavailableError {
    this.#backoff.failed(reason);
    // Clients retry, so the same reason is logged as an error once.
    this.log[reason === this.#loggedReason ? 'debug' : 'error'](`the server ${reason}`);
    this.#loggedReason = reason;
    return new UnavailableError(`the server ${reason}`, this.#backoff.waitMs());
  }
}
