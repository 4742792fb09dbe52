/** Peers as processes: they use no processor time of the load generator, and can be killed. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Program, start } from '../../../support/process.ts';
import { CALLS_PATH, SESSIONS_PATH } from './peer.ts';

export type PeerKind = 'streamable' | 'sse' | 'stateless';

const MAIN = join(import.meta.dirname, 'main.ts');

/** A process with several peers. It never stops by itself: each of its faults is requested by a call. */
export class PeerProcess implements AsyncDisposable {
  readonly urls: ReadonlyMap<string, string>;
  readonly program: Program;

  private constructor(program: Program, urls: ReadonlyMap<string, string>) {
    this.program = program;
    this.urls = urls;
  }

  /** @param peers their kinds and ports by name; port 0 is any free port */
  static async start(peers: { readonly [name: string]: readonly [PeerKind, number] }): Promise<PeerProcess> {
    const program = start(
      MAIN,
      Object.entries(peers).map(([name, [kind, port]]) => `${name}:${kind}:${port}`),
    );
    const urls = await program.announcement<Record<string, string>>();
    return new PeerProcess(program, new Map(Object.entries(urls)));
  }

  url(name: string): string {
    const url = this.urls.get(name);
    if (url === undefined) throw new Error(`no peer "${name}"`);
    return url;
  }

  /** The number of open sessions of each peer. */
  async openSessions(): Promise<{ readonly [name: string]: number }> {
    const counts = [...this.urls].map(async ([name, url]) => {
      const answer = await fetch(new URL(SESSIONS_PATH, url));
      return [name, Number(await answer.text())] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  /** The number of tool calls that a peer received. */
  async calls(name: string): Promise<number> {
    return Number(await (await fetch(new URL(CALLS_PATH, this.url(name)))).text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
  }
}

/** A peer that is killed repeatedly and restarted at the same port, without its state. */
export class DyingPeer implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  deaths = 0;
  readonly #kind: PeerKind;
  #process: PeerProcess;
  #dying: Promise<void> | undefined;
  readonly #stop = new AbortController();

  private constructor(name: string, kind: PeerKind, process: PeerProcess) {
    this.name = name;
    this.#kind = kind;
    this.#process = process;
    this.url = process.url(name);
  }

  static async start(name: string, kind: PeerKind): Promise<DyingPeer> {
    return new DyingPeer(name, kind, await PeerProcess.start({ [name]: [kind, 0] }));
  }

  /** Kills the peer every `lifeMs` until `live` is called. */
  die(lifeMs: number): void {
    this.#dying = this.#dieAgain(lifeMs);
  }

  /** Stops the kills; resolves when the peer is running. */
  async live(): Promise<void> {
    this.#stop.abort();
    await this.#dying;
  }

  async #dieAgain(lifeMs: number): Promise<void> {
    const port = Number(new URL(this.url).port);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(lifeMs, undefined, { signal }).catch(() => {});
      this.#process.program.kill('SIGKILL');
      await this.#process.program.exitCode();
      this.deaths++;
      this.#process = await eventually(() =>
        PeerProcess.start({ [this.name]: [this.#kind, port] }).catch(() => undefined),
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live();
    await this.#process[Symbol.asyncDispose]();
  }
}
