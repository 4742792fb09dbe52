import type { ServerResponse } from 'node:http';
import type { SharedEvent } from '../shared-sessions/store.ts';
import { formatLostAnswer, replay } from './ended-streams.ts';
import { formatEventId, LAST } from './event-id.ts';
import {
  EVENT_END,
  formatEmptyEvent,
  formatEvent,
  formatEventStart,
  retryLine,
  toOneLineBytes,
} from './event-stream.ts';
import { LAST_PLACE, MAX_KEPT_BYTES, type ReplayBuffer, type ReplayEvent, type ReplayStream } from './replay-buffer.ts';
import type { StreamConnection, StreamConnections } from './stream-connection.ts';

/** The settings of a stream that the client can resume on a new connection. */
export interface Resumption {
  readonly buffer: ReplayBuffer;
  /** The stream's events in the buffer. */
  readonly replayStream: ReplayStream;
  /** The name of the stream: the prefix of its events' ids. */
  readonly name: string;
  /** Whether the client accepts an event with an id and no data. */
  readonly takesEmptyEvents: boolean;
  /** Called with each complete event that is kept. */
  readonly onKept?: ((event: SharedEvent) => void) | undefined;
  /** How long a stream without a connection waits for its client, in milliseconds. */
  readonly windowMs: number;
  /** The stream has ended with the answer to `request`, and its connection has closed: whether the client has received it is unknown. */
  readonly onEnded: (request: string | undefined) => void;
  /** The client can no longer resume the stream: it has ended without an answer, or the client did not return in time. */
  readonly onGone: () => void;
}

export interface ClientStreamOptions {
  readonly outlets: StreamConnections;
  /** Undefined for a stream that cannot be resumed: its events have no ids, and it ends with its connection. */
  readonly resumption?: Resumption | undefined;
  /** The connection has closed; the client may return if there is a resumption. */
  readonly onDisconnect?: () => void;
  /** The client no longer needs the rest of the stream. Not called for an ended stream. */
  readonly onLost?: () => void;
  /** Whether the answered request has no effect. Default: it may have an effect. */
  readonly onlyReads?: boolean;
  /** The id of the answered request, as JSON text; {@link ClientStream.answer} may set another. */
  readonly request?: string | undefined;
}

/**
 * A stream of events to one client, over one connection or several connections one after the other. On a new connection, the client sends the id of
 * its last event and gets the later events.
 */
export class ClientStream {
  readonly #outlets: StreamConnections;
  readonly #resumption: Resumption | undefined;
  readonly #options: ClientStreamOptions;
  #outlet: StreamConnection | undefined;
  #window: NodeJS.Timeout | undefined;
  #places = 0;
  #hasEnded = false;
  /** The stream has ended with an answer, so a client that reconnects gets an answer: this one, or an error if it was lost. */
  #owesAnswer = false;
  /** An answer is being written in chunks; until it is complete, no other event can be written. */
  #isInAnswer = false;
  /** The part of that answer that is kept for a reconnecting client. */
  #answer: ReplayEvent | undefined;
  #resume: (() => void) | undefined;
  /** The id of the request whose answer ends the stream, as JSON text. */
  #request: string | undefined;

  constructor(options: ClientStreamOptions) {
    this.#options = options;
    this.#request = options.request;
    this.#outlets = options.outlets;
    this.#resumption = options.resumption;
  }

  get isConnected(): boolean {
    return this.#outlet !== undefined;
  }

  /**
   * Begins the stream on its first connection. The client gets all later events, on this connection or the next.
   * @param retryMs as {@link ClientStream.retry}
   */
  open(res: ServerResponse, retryMs?: number): void {
    const outlet = this.#outlets.open(res);
    this.#connect(outlet);
    if (this.#resumption?.takesEmptyEvents === true)
      outlet.write(formatEmptyEvent(formatEventId(this.#resumption.name, 0), retryMs));
    else {
      outlet.flushHead();
      if (retryMs !== undefined) this.retry(retryMs);
    }
  }

  /** Forwards the time that a backend sets for reconnections, in milliseconds. */
  retry(ms: number): void {
    if (this.#hasEnded || this.#isInAnswer || this.#resumption === undefined) return;
    this.#outlet?.write(`${retryLine(ms)}\n`);
  }

  /** Continues the stream on a new connection, after the last event that the client has. */
  resume(res: ServerResponse, position: number): void {
    const previous = this.#outlet;
    const outlet = this.#outlets.open(res);
    this.#outlet = outlet;
    previous?.break(); // The client reconnects, so the previous connection is dead, even if the gateway has not noticed.
    if (this.#isInAnswer && this.#answer?.isKept !== true) this.#loseAnswer();
    outlet.flushHead();
    const hasAll = this.#resumption !== undefined && replay(outlet, this.#resumption.replayStream, position);
    if (this.#owesAnswer && !hasAll) outlet.write(this.#lostAnswer());
    this.#connect(outlet);
    this.#drained();
  }

  /** Sends a message as one event. Returns false when it cannot be delivered. */
  send(json: string): boolean {
    if (this.#hasEnded || this.#isInAnswer) return false;
    const { text, isKept } = this.#buffer(json, ++this.#places);
    return this.#outlet?.event(text) === true || isKept;
  }

  /** Sends the last event, which answers `request`. */
  answer(json: string, request: string | undefined = this.#request): void {
    if (this.#hasEnded) return;
    this.#request = request;
    const { text } = this.#buffer(json, LAST);
    this.#endWithAnswer();
    this.#outlet?.end(text);
  }

  /** Begins the last event, whose document follows in chunks; `length` in bytes when known. */
  startAnswer(length: number | undefined): void {
    if (this.#hasEnded || this.#isInAnswer) return;
    this.#outlet?.stopHeartbeat(); // A heartbeat is a comment, which cannot be inside an event.
    this.#isInAnswer = true;
    const start = formatEventStart(this.#formatEventId(LAST));
    if (this.#resumption !== undefined && (length ?? 0) <= MAX_KEPT_BYTES) {
      const { buffer, replayStream } = this.#resumption;
      this.#answer = buffer.add(replayStream, LAST_PLACE, start);
    }
    if (this.#outlet !== undefined) this.#outlet.write(start);
    else if (this.#answer === undefined) this.#loseAnswer();
  }

  /** A chunk of the last event. Returns false when the connection is full. */
  chunk(bytes: Uint8Array): boolean {
    if (!this.#isInAnswer) return true;
    const line = toOneLineBytes(bytes);
    if (this.#answer !== undefined) this.#resumption?.buffer.grow(this.#answer, line);
    if (this.#outlet !== undefined) return this.#outlet.writeAndRelease(line);
    if (this.#answer?.isKept !== true) this.#loseAnswer();
    return true;
  }

  endAnswer(): void {
    if (!this.#isInAnswer) return;
    if (this.#answer !== undefined) this.#resumption?.buffer.grow(this.#answer, EVENT_END);
    if (this.#outlet === undefined && this.#answer?.isKept !== true) {
      this.#loseAnswer();
      return;
    }
    this.#isInAnswer = false;
    this.#shareAnswer();
    this.#endWithAnswer();
    this.#outlet?.end(EVENT_END);
  }

  /** Gives up the incomplete last event: closes the connection. A client that reconnects gets `json` instead. */
  breakAnswer(json: string): void {
    if (!this.#isInAnswer) return;
    this.#forgetAnswer();
    this.#buffer(json, LAST);
    this.#endWithAnswer();
    this.#outlet?.break();
  }

  /** Ends without an answer. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const wasInAnswer = this.#isInAnswer;
    this.#forgetAnswer();
    if (this.#outlet === undefined) this.#gone();
    else if (wasInAnswer) this.#outlet.break();
    else if (this.#resumption?.takesEmptyEvents === true) {
      this.#outlet.end(formatEmptyEvent(formatEventId(this.#resumption.name, LAST))); // A client cannot resume this stream.
    } else this.#outlet.end();
  }

  /** Closes the connection, so that the client can return. */
  disconnect(): void {
    this.#outlet?.end();
  }

  /** Gives up the stream when no client is connected to it. */
  abandon(): void {
    if (this.#outlet === undefined) this.#giveUp();
  }

  /** Calls back once when a full connection has room again. */
  onDrain(resume: () => void): void {
    if (this.#outlet?.isFull === true) this.#resume = resume;
    else queueMicrotask(resume);
  }

  #connect(outlet: StreamConnection): void {
    clearTimeout(this.#window);
    this.#outlet = outlet;
    outlet.onClose(() => this.#disconnected(outlet));
    outlet.onDrain(() => this.#drained());
    if (this.#hasEnded) outlet.end();
    else if (!this.#isInAnswer) outlet.startHeartbeat();
  }

  #disconnected(outlet: StreamConnection): void {
    if (this.#outlet !== outlet) return;
    this.#outlet = undefined;
    this.#options.onDisconnect?.();
    if (this.#hasEnded) this.#over();
    else if (this.#resumption === undefined) this.#giveUp();
    else {
      this.#window = setTimeout(() => this.#giveUp(), this.#resumption.windowMs).unref();
      if (this.#isInAnswer && this.#answer?.isKept !== true) this.#loseAnswer();
    }
    this.#drained();
  }

  /** Sends an event, and keeps it if the stream can be resumed. */
  #buffer(json: string, position: number | typeof LAST): { text: string; isKept: boolean } {
    const text = formatEvent(json, this.#formatEventId(position));
    if (this.#resumption === undefined) return { text, isKept: false };
    const { buffer, replayStream, name, onKept } = this.#resumption;
    const at = position === LAST ? LAST_PLACE : position;
    const { isKept } = buffer.add(replayStream, at, text);
    if (isKept) onKept?.({ stream: name, position: at, text });
    return { text, isKept };
  }

  /** The answer in chunks is complete. */
  #shareAnswer(): void {
    const { name, onKept } = this.#resumption ?? {};
    if (onKept === undefined || name === undefined || this.#answer?.isKept !== true) return;
    const text = Buffer.concat(this.#answer.parts.map(part => Buffer.from(part as string))).toString();
    onKept({ stream: name, position: LAST_PLACE, text });
  }

  #formatEventId(position: number | typeof LAST): string | undefined {
    return this.#resumption === undefined ? undefined : formatEventId(this.#resumption.name, position);
  }

  /** The running response can no longer be delivered completely. */
  #loseAnswer(): void {
    this.#forgetAnswer();
    this.#endWithAnswer();
    this.#options.onLost?.();
  }

  #lostAnswer(): string {
    return formatLostAnswer(this.#resumption?.name ?? '', this.#request);
  }

  /** Ends the stream with an answer, which a client that reconnects gets. */
  #endWithAnswer(): void {
    this.#hasEnded = true;
    this.#owesAnswer = true;
    if (this.#outlet === undefined) this.#over();
  }

  /** Called when the stream has ended and has no connection: releases the stream's memory. `EndedStreams` keeps its events. */
  #over(): void {
    clearTimeout(this.#window);
    if (this.#owesAnswer) this.#resumption?.onEnded(this.#request);
    else this.#gone();
  }

  #forgetAnswer(): void {
    this.#isInAnswer = false;
    if (this.#answer !== undefined) this.#resumption?.buffer.forgetLast(this.#resumption.replayStream, this.#answer);
    this.#answer = undefined;
  }

  #giveUp(): void {
    this.#hasEnded = true;
    this.#forgetAnswer();
    this.#gone();
    this.#options.onLost?.();
  }

  #gone(): void {
    clearTimeout(this.#window);
    this.#resumption?.buffer.forgetStream(this.#resumption.replayStream);
    this.#resumption?.onGone();
  }

  #drained(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}
