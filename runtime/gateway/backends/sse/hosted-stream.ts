/**
 * The stream of an HTTP+SSE session that this replica has opened for all replicas: it passes the backend's messages to the replicas that wait for
 * them.
 */
import type { SharedBackendSession, StreamMessage } from '../context.ts';
import { formatStreamName } from './stream-name.ts';

/** Limits on answers that arrived before a replica announced its request: their number, their age in milliseconds, and their size. */
const MAX_EARLY = 64;
const EARLY_MS = 2_000;
const MAX_EARLY_BYTES = 1024 * 1024;

/** Maximum number of other replicas' requests that wait for an answer; the oldest are dropped. */
const MAX_EXPECTED = 4_096;

interface ExpectedResponse {
  readonly replica: number;
  readonly token: string | undefined;
}

interface EarlyResponse {
  readonly json: Buffer;
  readonly until: number;
}

/** The receivers of the backend's own messages in this replica. */
export type LocalReceivers = 'listens' | 'waits' | 'none';

export class HostedStream {
  readonly #shared: SharedBackendSession;
  readonly #name: string;
  readonly #deaf: () => void;
  readonly #onAnswered: (question: string) => void;
  readonly #expected: Map<string, ExpectedResponse> = new Map();
  readonly #early: Map<string, EarlyResponse> = new Map();
  /** The replica that got a question, by the question's id. */
  readonly #serverRequests: Map<string, number> = new Map();
  /** The replica on which the client's standing stream is open. */
  #listener: number | undefined;
  #onIdle: (() => void) | undefined;

  /** @param onAnswered called when another replica has sent the answer to a question */
  constructor(shared: SharedBackendSession, address: string, onAnswered: (question: string) => void) {
    this.#shared = shared;
    this.#name = formatStreamName(address);
    this.#onAnswered = onAnswered;
    this.#deaf = shared.onMessage(this.#name, (message, from) => this.#receive(message, from));
  }

  /** Handles an answer to a request that is not this replica's. */
  answer(id: string, json: Buffer): void {
    const expected = this.#expected.get(id);
    if (expected === undefined) this.#keep(id, json);
    else {
      this.#settleRequest(id);
      this.#hand(expected.replica, json);
    }
  }

  /** Handles progress of a request that is not this replica's. Returns false when no other replica has such a request, either. */
  progress(token: string | undefined, json: string): boolean {
    if (token === undefined) return false;
    for (const expected of this.#expected.values()) {
      if (expected.token !== token) continue;
      this.#hand(expected.replica, json);
      return true;
    }
    return false;
  }

  /** Handles a message that belongs to no request. Returns false when it is for this replica. */
  message(json: string, own: LocalReceivers): boolean {
    const to = this.#findReceiver(own);
    if (to === undefined) return false;
    this.#hand(to, json);
    return true;
  }

  /**
   * Does the same as {@link message} for a request of the backend. From now on, any client request that waits for the backend may also wait for
   * the client's answer.
   */
  question(id: string, json: string, own: LocalReceivers): boolean {
    const to = this.#findReceiver(own);
    this.#sendToExpecting({ kind: 'asked', stream: this.#name, id }, to);
    if (to === undefined) return false;
    this.#serverRequests.set(id, to);
    this.#hand(to, json);
    return true;
  }

  /** Called when the backend withdraws a question. Returns false when the question was for this replica. */
  withdrawal(id: string, json: string): boolean {
    const to = this.#serverRequests.get(id);
    this.answered(id);
    if (to === undefined) return false;
    this.#hand(to, json);
    return true;
  }

  /** Called when the answer to a question is being sent, or when the backend no longer wants it. */
  answered(id: string, by?: number): void {
    this.#serverRequests.delete(id);
    this.#sendToExpecting({ kind: 'answered', stream: this.#name, id }, by);
  }

  /** Whether another replica waits for an answer on this stream. */
  get isAwaited(): boolean {
    return this.#expected.size > 0;
  }

  /**
   * Makes other replicas open another stream; they still get the answers that they wait for on this stream. Resolves when no answer is outstanding.
   */
  async leave(): Promise<void> {
    await this.#shared.send('others', { kind: 'left', stream: this.#name });
    if (this.#expected.size === 0) return;
    await new Promise<void>(resolve => {
      this.#onIdle = resolve;
    });
  }

  /** Ends the use of the stream: other replicas need not wait for it. */
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
    else if (kind === 'expects-not') this.#settleRequest(id);
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
    if (this.#expected.size > MAX_EXPECTED) this.#settleRequest(this.#expected.keys().next().value ?? '');
  }

  #settleRequest(id: string): void {
    this.#expected.delete(id);
    if (this.#expected.size === 0) this.#onIdle?.();
  }

  #keep(id: string, json: Buffer): void {
    const now = performance.now();
    for (const [other, { until }] of this.#early) {
      if (until > now && this.#early.size < MAX_EARLY) break;
      this.#early.delete(other);
    }
    // A copy, because the rest of the chunk is still being read.
    if (json.length <= MAX_EARLY_BYTES) this.#early.set(id, { json: Buffer.from(json), until: now + EARLY_MS });
  }

  /**
   * The replica that gets a message of the backend: the one with the client's standing stream, otherwise one with a call that could carry the
   * message.
   */
  #findReceiver(own: LocalReceivers): number | undefined {
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
