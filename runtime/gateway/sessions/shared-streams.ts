/** Messages between replicas about streams of HTTP+SSE backends, and their receivers, which remain while a session is being replaced. */
import { formatSessionKey, type ReplicaMessage, type SharedSessions } from '../../shared-sessions/store.ts';
import type { StreamMessage } from '../backends/context.ts';

export type StreamListener = (message: StreamMessage, from: number) => void;

export class SharedStreams {
  readonly #all: SharedSessions;
  /** Listeners, by the name of their stream. */
  readonly #listeners: Map<string, StreamListener> = new Map();

  constructor(all: SharedSessions) {
    this.#all = all;
  }

  /** See {@link SharedBackendSession.onMessage}. */
  onMessage(stream: string, listener: StreamListener): () => void {
    this.#listeners.set(stream, listener);
    return () => {
      if (this.#listeners.get(stream) === listener) this.#listeners.delete(stream);
    };
  }

  /** See {@link SharedBackendSession.send}. */
  send(session: string, to: number | 'others', message: StreamMessage): Promise<boolean> {
    return this.#send(formatSessionKey(session), to, message);
  }

  receive({ session = '', from, fields }: ReplicaMessage): void {
    const message = fields as unknown as StreamMessage;
    const listener = this.#listeners.get(message.stream);
    if (listener !== undefined) listener(message, from);
    // The other replica assumes that this replica has the stream, which it no longer has.
    else if (message.kind === 'expects' || message.kind === 'listens')
      void this.#send(session, from, { kind: 'lost', stream: message.stream });
  }

  #send(session: string, to: number | 'others', message: StreamMessage): Promise<boolean> {
    const fields = message as unknown as Readonly<Record<string, string>>;
    return this.#all.send(to, { type: 'stream', session, fields }).catch(() => false);
  }
}
