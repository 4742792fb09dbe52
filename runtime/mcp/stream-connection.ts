import type { ServerResponse } from 'node:http';
import { buildJsonHeaders } from '../http/respond.ts';
import { writeAndRelease } from '../tuning/release-buffer.ts';
import { HEARTBEAT, startEventStream } from './event-stream.ts';
import { PIECE_BYTES, type UnreadBytes, type UnreadStream } from './unread-bytes.ts';

/** Limit on the unread bytes of one client that does not read its stream; beyond it the connection is closed. */
const MAX_UNREAD_BYTES: number = 4 * 1024 * 1024;

/** The common state of an endpoint's event streams. */
export class StreamConnections {
  /** Pause between comments that keep a connection alive, in milliseconds. */
  readonly heartbeatMs: number;
  /** The unread bytes of all endpoints' streams. */
  readonly unread: UnreadBytes;

  constructor(heartbeatMs: number, unread: UnreadBytes) {
    this.heartbeatMs = heartbeatMs;
    this.unread = unread;
  }

  /** Answers with a stream of events. */
  open(res: ServerResponse): StreamConnection {
    startEventStream(res);
    return new StreamConnection(res, this);
  }

  /** Answers with a large JSON document, whose bytes are counted as well. */
  document(res: ServerResponse, json: string): void {
    if (res.destroyed) return;
    res.writeHead(200, buildJsonHeaders(Buffer.byteLength(json)));
    new StreamConnection(res, this).end(json);
  }
}

/** One connection of an event stream. All its writes go through this class, so that unread bytes are counted. */
export class StreamConnection implements UnreadStream {
  readonly #res: ServerResponse;
  readonly #outlets: StreamConnections;
  #heartbeat: NodeJS.Timeout | undefined;
  #hasClosed = false;
  unreadBytes = 0;
  silentSinceMs = 0;

  constructor(res: ServerResponse, outlets: StreamConnections) {
    this.#res = res;
    this.#outlets = outlets;
    res.once('close', () => this.#closed());
  }

  /** A full connection: further writes wait for its client. */
  get isFull(): boolean {
    return this.#res.writableNeedDrain;
  }

  /** Calls back when the connection has closed. */
  onClose(listener: () => void): void {
    this.#res.once('close', listener);
  }

  /** Calls back whenever a full connection has room again. */
  onDrain(listener: () => void): void {
    this.#res.on('drain', listener);
  }

  /** Sends the head of the answer before the first event. */
  flushHead(): void {
    this.#res.flushHeaders();
  }

  /** Writes comments, with a timer that does not keep the process alive, until the connection closes. A client that does not read gets none. */
  startHeartbeat(): void {
    this.#heartbeat = setInterval(() => {
      if (this.unreadBytes === 0) this.write(HEARTBEAT);
    }, this.#outlets.heartbeatMs).unref();
  }

  stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
  }

  /** Writes the text of one event. False when the stream has ended, or when its client has stopped reading, which closes the connection. */
  event(text: string, maxUnreadBytes: number = MAX_UNREAD_BYTES): boolean {
    if (this.#res.destroyed || this.#res.writableEnded) return false;
    if (this.#res.writableLength > maxUnreadBytes) {
      this.break();
      return false;
    }
    this.write(text);
    return true;
  }

  /** Writes text, or bytes that do not change later. False when the connection is full. */
  write(part: string | Uint8Array): boolean {
    return this.#res.write(part, this.#count(computeSize(part)));
  }

  /** Does the same as {@link StreamConnection.write} for bytes that no code reads again. */
  writeAndRelease(bytes: Uint8Array): boolean {
    return writeAndRelease(this.#res, bytes, this.#count(bytes.length));
  }

  end(text = ''): void {
    if (this.#res.writableEnded) return;
    this.#count(Buffer.byteLength(text));
    this.#res.end(text);
  }

  /** Closes the connection, even when the stream waits behind another answer and has no connection of its own yet. */
  break(): void {
    this.#closed();
    this.#res.destroy();
    this.#res.req.socket.destroy();
  }

  /** Counts the bytes of a write; returns a function to call after the write. */
  #count(bytes: number): (() => void) | undefined {
    if (this.#hasClosed) return undefined;
    const memory = bytes + PIECE_BYTES;
    if (this.unreadBytes === 0) this.silentSinceMs = performance.now();
    this.unreadBytes += memory;
    this.#outlets.unread.add(this, memory);
    return () => this.#wasRead(memory);
  }

  #wasRead(memory: number): void {
    if (this.#hasClosed) return;
    this.unreadBytes -= memory;
    this.silentSinceMs = performance.now();
    this.#outlets.unread.remove(this, memory, this.unreadBytes === 0);
  }

  #closed(): void {
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    clearInterval(this.#heartbeat);
    this.#outlets.unread.remove(this, this.unreadBytes, true);
    this.unreadBytes = 0;
  }
}

function computeSize(part: string | Uint8Array): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}
