import type { BackendIdentity, SavedBackendSession } from '../backend.ts';
import type { SharedBackendSession } from '../context.ts';
import { waitAtMost } from '../wait-at-most.ts';
import { HostedStream } from './hosted-stream.ts';
import type { SessionStream } from './open-session.ts';
import { SseStream } from './sse-stream.ts';

/** Ids of replaced sessions; the oldest are forgotten. */
const MAX_GONE = 16;

export interface SharedStreamsOptions {
  /** Undefined when there is only one replica. */
  readonly shared: SharedBackendSession | undefined;
  /** Called when another replica has sent the answer to a request of the backend. */
  readonly onAnswered: (id: string) => void;
}

/** The streams of this replica that other replicas use, and the streams of other replicas that this one may use. */
export class SharedStreams {
  readonly #shared: SharedBackendSession | undefined;
  readonly #onAnswered: (id: string) => void;
  readonly #lent: Map<SseStream, HostedStream> = new Map();
  /** The shared record of the session, while this replica holds its stream. */
  #saved: SavedBackendSession | undefined;
  /** Ids of sessions that the backend has forgotten, or whose stream has ended: no replica joins them again. */
  readonly #gone: Set<string> = new Set();

  constructor({ shared, onAnswered }: SharedStreamsOptions) {
    this.#shared = shared;
    this.#onAnswered = onAnswered;
  }

  /** A stream for the use of other replicas. */
  lent(stream: SessionStream): HostedStream | undefined {
    return stream instanceof SseStream ? this.#lent.get(stream) : undefined;
  }

  /** The session of another replica, if there is one to join. */
  async find(): Promise<SavedBackendSession | undefined> {
    const found = await this.#shared?.find();
    return found !== undefined && (await this.#mayJoin(found)) ? found : undefined;
  }

  /** This replica uses the session of another one. */
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
    // Set before other replicas can know about the stream.
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

  /** No replica may join the session again. */
  markGone(id: string): void {
    if (this.#shared === undefined) return;
    this.#gone.add(id);
    if (this.#gone.size > MAX_GONE) this.#gone.delete(this.#gone.values().next().value ?? '');
  }

  /** The answer to a request of the backend is being sent. */
  answered(id: string): void {
    for (const lent of this.#lent.values()) lent.answered(id);
  }

  /** Notifies other replicas that a stream of this one has ended. */
  end(stream: SessionStream): void {
    if (!(stream instanceof SseStream)) return;
    this.#lent.get(stream)?.close();
    this.#lent.delete(stream);
  }

  /** Another replica expects an answer on a stream of this one. */
  get isAwaited(): boolean {
    return [...this.#lent.values()].some(lent => lent.isAwaited);
  }

  get isEmpty(): boolean {
    return this.#lent.size === 0;
  }

  /** Lets other replicas open streams of their own; they still get their expected answers here. Milliseconds. */
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
