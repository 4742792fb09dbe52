import type { Identity } from '../../auth/identity.ts';
import { BoundedBytes, CollectedResponder, MAX_COLLECTED_BYTES } from '../collected-responder.ts';
import { formatEvent } from '../event-stream.ts';
import type { ClientResponder, ClientSession } from '../handler.ts';
import { RunningRequests } from '../running-requests.ts';
import type { StreamConnection } from '../stream-connection.ts';
import { TokenExpiry } from '../token-expiry.ts';

export interface SseConnectionOptions {
  /** Identifies the stream in the address for messages. It works like a credential: do not log it. */
  readonly id: string;
  /** The owner's identity. */
  readonly identity: Identity;
  /** Called once, when the connection has closed. */
  readonly onClose: () => void;
}

/** One client over HTTP+SSE: its stream, which carries all messages to it, and its running requests. */
export class SseConnection {
  readonly id: string;
  /** `Identity.key` of its owner. */
  readonly owner: string;
  readonly #outlet: StreamConnection;
  readonly #running: RunningRequests;
  readonly #answers = new Set<CollectedResponder>();
  readonly #bytes = new BoundedBytes();
  readonly #expiry: TokenExpiry;
  /** The stream ends with the last running request. */
  #isEnding = false;

  /** @param endpoint Where the client posts its messages, as a reference relative to the address of the stream. */
  constructor(outlet: StreamConnection, endpoint: string, { id, identity, onClose }: SseConnectionOptions) {
    this.id = id;
    this.owner = identity.key;
    this.#outlet = outlet;
    this.#running = new RunningRequests(() => this.#endIfIdle());
    outlet.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    outlet.startHeartbeat();
    this.#expiry = new TokenExpiry(identity, () => this.endWhenIdle());
    outlet.onClose(() => {
      this.#expiry.stop();
      for (const answer of this.#answers) answer.abort();
      onClose();
    });
  }

  /** Writes a message as one event. Returns false when the stream has ended. */
  send(json: string): boolean {
    return this.#outlet.event(formatEvent(json), MAX_COLLECTED_BYTES);
  }

  /**
   * Begins the answer to a request. The answer is collected, so that no other message gets between its parts.
   * @throws WireError as {@link RunningRequests.begin}
   */
  begin(id: string): ClientResponder {
    const end = this.#running.begin(id);
    const answer = new CollectedResponder(id, {
      bytes: this.#bytes,
      message: json => this.send(json),
      deliver: json => {
        if (json !== undefined) this.send(json);
      },
      onFinish: () => {
        this.#answers.delete(answer);
        end();
      },
    });
    this.#answers.add(answer);
    return answer;
  }

  /** The owner has sent a token: the stream ends when the longest-lived token expires. */
  renew(identity: Identity): void {
    this.#expiry.renew(identity);
  }

  /** Ends the stream as soon as no request runs. */
  endWhenIdle(): void {
    this.#isEnding = true;
    this.#endIfIdle();
  }

  close(): void {
    this.#outlet.end();
  }

  #endIfIdle(): void {
    if (this.#isEnding && this.#running.size === 0) this.close();
  }
}

/** The session on a connection, from `initialize` to the end of the stream. */
export class SseSession<S> implements ClientSession<S> {
  readonly id: string;
  readonly protocolVersion: string;
  readonly payload: S;
  readonly #connection: SseConnection;

  constructor(connection: SseConnection, protocolVersion: string, payload: S) {
    this.id = connection.id;
    this.protocolVersion = protocolVersion;
    this.payload = payload;
    this.#connection = connection;
  }

  send(json: string): boolean {
    return this.#connection.send(json);
  }

  close(): void {
    this.#connection.close();
  }
}
