/** The stream of a session over HTTP+SSE that this replica has for all: what the backend says goes to the replica that it is for. */
import type { SharedBackendSession, StreamMessage } from '../context.ts';
import { streamName } from './stream-name.ts';

/**
 * Answers that came before a replica announced that it expects them: how many are kept, how long (milliseconds), and how large one may be.
 */
const MAX_EARLY = 64;
const EARLY_MS = 2_000;
const MAX_EARLY_BYTES = 1024 * 1024;

/** Requests of other replicas that may wait for an answer; the oldest are forgotten. */
const MAX_EXPECTED = 4_096;

interface ExpectedResponse {
  readonly replica: number;
  readonly token: string | undefined;
}

interface EarlyResponse {
  readonly json: Buffer;
  readonly until: number;
}

/** What of this replica could take what the backend says of its own accord. */
export type OwnListening = 'listens' | 'waits' | 'none';

export class LentStream {
  readonly #shared: SharedBackendSession;
  readonly #name: string;
  readonly #deaf: () => void;
  readonly #onAnswered: (question: string) => void;
  readonly #expected: Map<string, ExpectedResponse> = new Map();
  readonly #early: Map<string, EarlyResponse> = new Map();
  /** Which replica was handed a question, by its id. */
  readonly #asked: Map<string, number> = new Map();
  /** The replica that has the client's stream. */
  #listener: number | undefined;
  #onIdle: (() => void) | undefined;

  /** @param onAnswered another replica has sent the answer to a question */
  constructor(shared: SharedBackendSession, address: string, onAnswered: (question: string) => void) {
    this.#shared = shared;
    this.#name = streamName(address);
    this.#onAnswered = onAnswered;
    this.#deaf = shared.onMessage(this.#name, (message, from) => this.#receive(message, from));
  }

  /** An answer to no request of this replica. */
  answer(id: string, json: Buffer): void {
    const expected = this.#expected.get(id);
    if (expected === undefined) this.#keep(id, json);
    else {
      this.#settle(id);
      this.#hand(expected.replica, json);
    }
  }

  /** Progress of no request of this replica. False when it is of none of another replica, either. */
  progress(token: string | undefined, json: string): boolean {
    if (token === undefined) return false;
    for (const expected of this.#expected.values()) {
      if (expected.token !== token) continue;
      this.#hand(expected.replica, json);
      return true;
    }
    return false;
  }

  /** What the backend says of its own accord. False when it is for this replica. */
  message(json: string, own: OwnListening): boolean {
    const to = this.#receiver(own);
    if (to === undefined) return false;
    this.#hand(to, json);
    return true;
  }

  /** As {@link message}, for a request: whatever waits for an answer of the backend may wait for that of the client now. */
  question(id: string, json: string, own: OwnListening): boolean {
    const to = this.#receiver(own);
    this.#sendToExpecting({ kind: 'asked', stream: this.#name, id }, to);
    if (to === undefined) return false;
    this.#asked.set(id, to);
    this.#hand(to, json);
    return true;
  }

  /** The backend withdraws a question. False when it was for this replica. */
  withdrawal(id: string, json: string): boolean {
    const to = this.#asked.get(id);
    this.answered(id);
    if (to === undefined) return false;
    this.#hand(to, json);
    return true;
  }

  /** The answer to a question is on its way, or no longer wanted. */
  answered(id: string, by?: number): void {
    this.#asked.delete(id);
    this.#sendToExpecting({ kind: 'answered', stream: this.#name, id }, by);
  }

  /** Whether another replica expects an answer. */
  get isAwaited(): boolean {
    return this.#expected.size > 0;
  }

  /** Others are to open another stream, and get here what they expect of this one. Resolves when there is nothing left. */
  async leave(): Promise<void> {
    await this.#shared.send('others', { kind: 'left', stream: this.#name });
    if (this.#expected.size === 0) return;
    await new Promise<void>(resolve => {
      this.#onIdle = resolve;
    });
  }

  /** The stream is over: others need not wait. */
  close(): void {
    this.#deaf();
    this.#early.clear();
    this.#onIdle?.();
    void this.#shared.send('others', { kind: 'lost', stream: this.#name });
  }

  #receive({ kind, id = '', token }: StreamMessage, from: number): void {
    if (kind === 'listens') this.#listener = from;
    else if (kind === 'listens-not') {
      if (this.#listener === from) this.#listener = undefined;
    } else if (kind === 'expects') this.#expect(id, { replica: from, token });
    else if (kind === 'expects-not') this.#settle(id);
    else if (kind === 'answered') {
      this.#onAnswered(id);
      this.answered(id, from);
    }
  }

  #expect(id: string, expected: ExpectedResponse): void {
    const early = this.#early.get(id);
    this.#early.delete(id);
    if (early !== undefined) {
      this.#hand(expected.replica, early.json);
      return;
    }
    this.#expected.set(id, expected);
    if (this.#expected.size > MAX_EXPECTED) this.#settle(this.#expected.keys().next().value ?? '');
  }

  #settle(id: string): void {
    this.#expected.delete(id);
    if (this.#expected.size === 0) this.#onIdle?.();
  }

  #keep(id: string, json: Buffer): void {
    const now = performance.now();
    for (const [other, { until }] of this.#early) {
      if (until > now && this.#early.size < MAX_EARLY) break;
      this.#early.delete(other);
    }
    // A copy: what it is a part of goes on to be read.
    if (json.length <= MAX_EARLY_BYTES) this.#early.set(id, { json: Buffer.from(json), until: now + EARLY_MS });
  }

  /** Where the client has its stream, or else a call that could bring it along. */
  #receiver(own: OwnListening): number | undefined {
    if (own === 'listens') return undefined;
    if (this.#listener !== undefined) return this.#listener;
    if (own === 'waits') return undefined;
    for (const { replica } of this.#expected.values()) return replica;
    return undefined;
  }

  #sendToExpecting(message: StreamMessage, except: number | undefined): void {
    const replicas = new Set([...this.#expected.values()].map(({ replica }) => replica));
    for (const replica of replicas) if (replica !== except) void this.#shared.send(replica, message);
  }

  #hand(to: number, json: Buffer | string): void {
    const text = typeof json === 'string' ? json : json.toString('utf8');
    void this.#shared.send(to, { kind: 'heard', stream: this.#name, json: text });
  }
}
