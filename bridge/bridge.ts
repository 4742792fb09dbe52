/** The servers of a bridge and the sessions with them. */
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { BridgeConfig, StdioPlan } from '#schemas';
import { readGroupMemory } from './process/memory.ts';
import { type ServerContext, StdioServer, UnavailableError } from './server.ts';
import { startOwnProcess } from './sessions/link.ts';
import { BridgeSession, type ReceivedMessage } from './sessions/session.ts';
import { SharedProgram } from './sessions/shared-program.ts';

/** How often the bridge checks idle sessions and memory; milliseconds. */
const CHECK_MS = 2_000;

/** Maximum number of sessions of one server. */
const MAX_SESSIONS = 1_000;

/** The reason for ending an idle process. It continues a sentence that begins with "the server". */
const IDLE = 'was stopped because no client used it';

interface BridgedServer {
  readonly server: StdioServer;
  readonly sessions: Set<BridgeSession>;
  /** The process that all sessions share, if they share one. */
  shared: Promise<SharedProgram> | undefined;
  /** When the last session ended. */
  usedAt: number;
}

export class Bridge {
  readonly #context: ServerContext;
  readonly #sessions: Map<string, BridgeSession> = new Map();
  readonly #closing: Set<Promise<void>> = new Set();
  readonly #timer: NodeJS.Timeout;
  #served: ReadonlyMap<string, BridgedServer> = new Map();
  #readingMemory: Promise<void> | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
    this.#timer = setInterval(() => this.#checkLimits(), CHECK_MS).unref();
  }

  /** Replaces the set of servers. A server whose configuration is unchanged keeps running, with its sessions. */
  use({ servers }: BridgeConfig): void {
    const next = new Map(
      Object.entries(servers).map(([key, plan]) => {
        const before = this.#served.get(key);
        const isSame = before !== undefined && isDeepStrictEqual(before.server.plan, plan);
        return [key, isSame ? before : this.#serve(key, plan)];
      }),
    );
    const gone = [...this.#served].filter(([key, served]) => next.get(key) !== served);
    this.#served = next;
    for (const [, served] of gone) this.#end(served);
  }

  has(key: string): boolean {
    return this.#served.has(key);
  }

  paths(): readonly string[] {
    return [...this.#served.keys()].map(key => `/${key}/mcp`);
  }

  session(id: string): BridgeSession | undefined {
    return this.#sessions.get(id);
  }

  /**
   * Gives the client a session that is still starting, if another client has sent the same `initialize` for it and has disconnected. Returns whether
   * there was one.
   */
  adopt(key: string, initialize: ReceivedMessage, res: ServerResponse): boolean {
    const sessions = this.#served.get(key)?.sessions ?? [];
    for (const session of sessions) if (session.adopt(initialize, res)) return true;
    return false;
  }

  /**
   * Opens a session with the server, and starts a process for it if sessions do not share one.
   *
   * @throws UnavailableError
   */
  async open(key: string): Promise<BridgeSession> {
    const served = this.#served.get(key);
    if (served === undefined) throw new UnavailableError('it was removed from the configuration');
    const { server, sessions } = served;
    if (sessions.size >= MAX_SESSIONS)
      throw new UnavailableError(`it has ${MAX_SESSIONS} sessions already, which is the limit`);
    const forget = (session: BridgeSession) => {
      sessions.delete(session);
      this.#sessions.delete(session.id);
      served.usedAt = performance.now();
    };
    const session = new BridgeSession(server, forget);
    sessions.add(session);
    this.#sessions.set(session.id, session);
    try {
      const link = server.plan.isShared
        ? (await this.#getShared(served)).attach(session)
        : await startOwnProcess(server, session);
      session.open(link);
      return session;
    } catch (error) {
      forget(session);
      throw error;
    }
  }

  /** Ends all processes. Resolves when all have ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.use({ servers: {} });
    await Promise.all([...this.#closing, this.#readingMemory]);
  }

  #serve(key: string, plan: StdioPlan): BridgedServer {
    return { server: new StdioServer(key, plan, this.#context), sessions: new Set(), shared: undefined, usedAt: 0 };
  }

  #getShared(served: BridgedServer): Promise<SharedProgram> {
    const forget = () => {
      if (served.shared === shared) served.shared = undefined;
    };
    const shared: Promise<SharedProgram> = served.shared ?? new SharedProgram(() => forget()).start(served.server);
    served.shared = shared;
    shared.catch(forget);
    return shared;
  }

  #end({ server, sessions }: BridgedServer): void {
    for (const session of [...sessions]) this.#track(session.close('was stopped'));
    this.#track(server.close());
  }

  #track(closing: Promise<void>): void {
    const done = closing.finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }

  #checkLimits(): void {
    for (const session of this.#sessions.values())
      if (session.idleMs > session.server.plan.idleTimeoutMs) this.#track(session.close(IDLE));
    for (const { server, sessions, shared, usedAt } of this.#served.values())
      if (sessions.size === 0 && performance.now() - usedAt > server.plan.idleTimeoutMs)
        void shared?.then(program => this.#track(program.end(IDLE)));
    const servers = [...this.#served.values()].map(({ server }) => server);
    if (this.#readingMemory !== undefined || servers.every(({ processCount }) => processCount === 0)) return;
    this.#readingMemory = readGroupMemory()
      .then(memory => {
        for (const server of servers) server.holdTo(memory);
      })
      .catch((error: unknown) => this.#context.log.warn({ err: error }, 'the memory use of the servers cannot be read'))
      .finally(() => {
        this.#readingMemory = undefined;
      });
  }
}
