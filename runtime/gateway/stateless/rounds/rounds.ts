/**
 * Attempts at calls that reached another replica than the holder, which is the replica with the call. The holder continues the call, and the client's
 * replica answers the client.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientResponder } from '../../../mcp/handler.ts';
import type { Logger } from '../../../observe/log.ts';
import type { ReplicaMessage, RoundMessageType, SharedSessions } from '../../../shared-sessions/store.ts';
import { storeAway } from '../../routing/to-wire-error.ts';
import { AwaitedRound } from './awaited-round.ts';
import { createUnknownState } from './input-responses.ts';
import type { WaitingCalls } from './next-attempt.ts';
import { RelayedResponder } from './relayed-responder.ts';
import { type NumberedStep, type RoundRequest, restoreCaller } from './round-messages.ts';
import { UnreadRounds } from './unread-rounds.ts';

/** How often the client's replica checks that the holder is alive, in milliseconds. */
const CHECK_MS = 1_000;

/** After this time without a check by the client's replica, the holder checks whether that replica is alive; milliseconds. */
const SILENT_MS = 15_000;

interface RelayedRound {
  readonly answer: RelayedResponder;
  /** The number of the client's replica. */
  readonly replica: number;
  /** The time by `performance.now` when the holder last received a message about the attempt. */
  receivedAt: number;
}

export class Rounds {
  readonly #shared: SharedSessions;
  readonly #waitingCalls: WaitingCalls;
  readonly #log: Logger;
  /** Attempts of this replica's clients, by name. */
  readonly #awaited = new Map<string, AwaitedRound>();
  /** Attempts of other replicas' clients whose calls are at this replica, by name. */
  readonly #relayed = new Map<string, RelayedRound>();
  readonly #unread = new UnreadRounds();
  #timer: NodeJS.Timeout | undefined;

  constructor(shared: SharedSessions, waitingCalls: WaitingCalls, log: Logger) {
    this.#shared = shared;
    this.#waitingCalls = waitingCalls;
    this.#log = log;
  }

  /**
   * Sends the attempt to the replica that holds the call.
   * @param onlyReads whether the call has no effect
   * @throws WireError when it cannot be reached
   */
  async goOn(holder: number, request: RoundRequest, answer: ClientResponder, onlyReads: () => boolean): Promise<void> {
    const round = randomBytes(16).toString('base64url');
    const text = JSON.stringify(request);
    const awaited = new AwaitedRound({
      answer,
      onlyReads,
      begin: () => this.#shared.send(holder, { type: 'round', round, text }),
      report: bytes => this.#shared.send(holder, { type: 'round-read', round, text: String(bytes) }),
      leave: () => this.#send(holder, 'round-left', round, ''),
      onEnd: () => this.#awaited.delete(round),
    });
    this.#awaited.set(round, awaited);
    this.#startChecks();
    try {
      await awaited.check();
    } catch (error) {
      awaited.giveUp();
      this.#log.warn(
        { cause: (error as Error).message },
        'the answer of a client could not be sent to the replica that runs the call',
      );
      throw storeAway();
    }
  }

  receive({ type, from, round, text = '' }: ReplicaMessage): void {
    if (round === undefined) return;
    if (type === 'round') this.#begin(from, round, JSON.parse(text) as RoundRequest);
    else if (type === 'round-answer') this.#step(round, text);
    else {
      const relayed = this.#relayed.get(round);
      if (relayed === undefined || relayed.replica !== from) {
        if (type === 'round-read') this.#send(from, 'round-answer', round, '');
        return;
      }
      relayed.receivedAt = performance.now();
      if (type === 'round-left') relayed.answer.leave();
      else relayed.answer.read(Number(text));
    }
  }

  /** Resolves when no call for a client of another replica runs here, or after `limitMs`. */
  async drained(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs;
    while (this.#relayed.size > 0 && performance.now() < until) await pause(20);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { answer } of [...this.#relayed.values()]) answer.leave();
  }

  #begin(replica: number, round: string, request: RoundRequest): void {
    if (this.#relayed.has(round)) return;
    const { secret, traits, id, progressToken, responses, share } = request;
    const call = this.#waitingCalls.take(secret, traits);
    const answer = new RelayedResponder({
      unread: this.#unread,
      send: step => this.#send(replica, 'round-answer', round, JSON.stringify(step)),
      onEnd: () => this.#relayed.delete(round),
    });
    this.#relayed.set(round, { answer, replica, receivedAt: performance.now() });
    this.#startChecks();
    if (call === undefined) answer.error(createUnknownState());
    else
      call.resume({
        caller: restoreCaller(request),
        id,
        progressToken,
        answer,
        share,
        responses: new Map(responses),
        sender: undefined,
      });
  }

  /**
   * Applies a step of the holder.
   * @param text empty when the holder does not know the attempt
   */
  #step(round: string, text: string): void {
    const awaited = this.#awaited.get(round);
    if (text === '') awaited?.unknown();
    else awaited?.receive(JSON.parse(text) as NumberedStep);
  }

  #send(to: number, type: RoundMessageType, round: string, text: string): void {
    this.#shared.send(to, { type, round, text }).then(
      isAlive => isAlive || this.#relayed.get(round)?.answer.leave(),
      (error: Error) => {
        this.#log.warn({ type, cause: error.message }, 'a message to another replica could not be sent');
        // The other replica missed this step, so it could not apply the following ones: the answer ends.
        this.#relayed.get(round)?.answer.leave();
      },
    );
  }

  #startChecks(): void {
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
  }

  #check(): void {
    if (this.#awaited.size === 0 && this.#relayed.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    // While the store is unavailable, it is unknown whether the other replica is alive.
    for (const awaited of this.#awaited.values()) awaited.check().catch(() => {});
    const now = performance.now();
    for (const { answer, replica, receivedAt } of this.#relayed.values()) {
      if (now - receivedAt < SILENT_MS) continue;
      this.#shared.isAlive(replica).then(
        isAlive => isAlive || answer.leave(),
        () => {},
      );
    }
  }
}
