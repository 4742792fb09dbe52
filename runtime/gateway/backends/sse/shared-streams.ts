import type { BackendIdentity, SavedBackendSession } from '../backend.ts';
import type { SharedBackendSession } from '../context.ts';
import { waitAtMost } from '../wait-at-most.ts';
import { HostedStream } from './hosted-stream.ts';
import type { SessionStream } from './open-session.ts';
import { SseStream } from './sse-stream.ts';

/** Maximum number of remembered ids of replaced sessions; the oldest are forgotten. */
const MAX_GONE = 16;

export interface SharedStreamsOptions {
  /** The session that replicas share; undefined when there is only one replica. */
  readonly shared: SharedBackendSession | undefined;
  /** Called when another replica has sent the answer to a request of the backend. */
  readonly onAnswered: (id: string) => void;
}

/** Streams of this replica that other replicas use, and streams of other replicas that this replica may use. */
export class SharedStreams {
  readonly #shared: SharedBackendSession | undefined;
  readonly #onAnswered: (id: string) => void;
  readonly #lent: Map<SseStream, HostedStream> = new Map();
  /** The shared record of the session, while the session's stream is one of this replica. */
  #saved: SavedBackendSession | undefined;
  /** Ids of sessions that the backend has forgotten, or whose stream has ended: this replica does not use them again. */
  readonly #gone: Set<string> = new Set();

  constructor({ shared, onAnswered }: SharedStreamsOptions) {
    this.#shared = shared;
    this.#onAnswered = onAnswered;
  }

  /** The part of a stream that serves other replicas; undefined when the stream is not shared. */
  lent(stream: SessionStream): HostedStream | undefined {
    return stream instanceof SseStream ? this.#lent.get(stream) : undefined;
  }

  /** The session of another replica that this replica can use, if there is one. */
  async find(): Promise<SavedBackendSession | undefined> {
    const found = await this.#shared?.find();
    return found !== undefined && (await this.#mayJoin(found)) ? found : undefined;
  }

  /** Called when this replica begins to use the session of another replica. */
  joined(): void {
    this.#saved = undefined;
  }

  /**
   * Shares an opened session.
   * @param id the address of its messages
   * @returns the session of another replica that was faster, which this replica then uses
   */
  async share(stream: SseStream, id: string, identity: BackendIdentity): Promise<SavedBackendSession | undefined> {
    const shared = this.#shared;
    if (shared === undefined) return undefined;
    const own: SavedBackendSession = { id, identity, holder: shared.replica };
    // The stream is recorded before other replicas can know about it.
    this.#lent.set(stream, new HostedStream(shared, id, this.#onAnswered));
    const savedSession = await shared.save(own, undefined);
    if (savedSession.id !== id && (await this.#mayJoin(savedSession))) return savedSession;
    this.#saved = own;
    return undefined;
  }

  async #mayJoin({ id, holder }: SavedBackendSession): Promise<boolean> {
    const shared = this.#shared;
    if (shared === undefined || holder === undefined || holder === shared.replica || this.#gone.has(id)) return false;
    return shared.isAlive(holder).catch(() => false);
  }

  /** Records that a session is over, so that this replica does not use it again. */
  markGone(id: string): void {
    if (this.#shared === undefined) return;
    this.#gone.add(id);
    if (this.#gone.size > MAX_GONE) this.#gone.delete(this.#gone.values().next().value ?? '');
  }

  /** Called when the answer to a request of the backend is being sent. */
  answered(id: string): void {
    for (const lent of this.#lent.values()) lent.answered(id);
  }

  /** Notifies other replicas that a stream of this one has ended. */
  end(stream: SessionStream): void {
    if (!(stream instanceof SseStream)) return;
    this.#lent.get(stream)?.close();
    this.#lent.delete(stream);
  }

  /** Whether another replica waits for an answer on a stream of this replica. */
  get isAwaited(): boolean {
    return [...this.#lent.values()].some(lent => lent.isAwaited);
  }

  get isEmpty(): boolean {
    return this.#lent.size === 0;
  }

  /**
   * Lets other replicas open streams of their own, for at most `limitMs` milliseconds: until then they get the answers that they wait for on the
   * streams of this replica.
   */
  async leaveToOthers(limitMs: number): Promise<void> {
    if (this.#saved !== undefined) await this.#shared?.release(this.#saved);
    await waitAtMost(Promise.all([...this.#lent.values()].map(lent => lent.leave())), limitMs);
  }

  close(): void {
    for (const [stream, lent] of this.#lent) {
      stream.close();
      lent.close();
    }
    this.#lent.clear();
  }
}
