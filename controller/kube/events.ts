/**
 * Events about objects, for `kubectl describe`. They are of core/v1 and not of events.k8s.io/v1: what people look with (`kubectl get
 * events`, exporters) sorts and counts by `lastTimestamp` and `count`, which the newer ones leave empty.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Rate, TokenBuckets } from '#util';
import { type Clock, systemClock } from './clock.ts';
import { KubeError } from './kube-error.ts';
import type { KubeClient, KubeObject, ObjectKey, ObjectMeta, ObjectType } from './types.ts';

/** Limit of the API server, in bytes. */
const MAX_MESSAGE_BYTES = 1024;

/** Names of objects have at most 253 characters; this leaves room for what makes an event's name its own. */
const MAX_NAME_CHARACTERS = 236;

/** An equal event within so long is counted and not created again, in milliseconds. API servers delete events after an hour. */
const SAME_MS: number = 10 * 60_000;

/** As client-go: so many events about one object at once, then one in so many milliseconds. */
const RATE: Rate = { maxTokens: 25, refillPeriodMs: 25 * 5 * 60_000 };

/** Objects and messages that are remembered, and events that wait to be sent. What is beyond is dropped: events are no log. */
const MAX_REMEMBERED = 2_000;
const MAX_WAITING = 200;

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  /** Who reports, such as `lintel-controller`. */
  readonly component: string;
  /** Which of several, such as the pod's name. */
  readonly instance: string;
  /** Called for an event that could not be written; events are not awaited. */
  readonly onFailure: (error: unknown) => void;
  readonly clock?: Clock;
  /** Default: random. */
  readonly suffix?: () => string;
}

interface KnownEvent {
  readonly key: ObjectKey;
  count: number;
  lastAt: number;
}

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #suffix: () => string;
  readonly #known = new LRUCache<string, KnownEvent>({ max: MAX_REMEMBERED });
  readonly #buckets = new TokenBuckets(RATE, MAX_REMEMBERED);
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#suffix = options.suffix ?? (() => randomBytes(8).toString('hex'));
  }

  /** Tells something about an object that is in the cluster. Never fails and never waits. */
  add(
    object: ObjectType & { readonly metadata: ObjectMeta },
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const { uid = '' } = object.metadata;
    if (this.#buckets.take(uid, this.#clock.now()) > 0 || this.#waiting >= MAX_WAITING) return;
    const text = withinBytes(message, MAX_MESSAGE_BYTES);
    this.#waiting++;
    // One after the other: a count that is written twice at the same time is a wrong one.
    this.#last = this.#last
      .then(() => this.#write(object, type, reason, text))
      .catch(error => this.#options.onFailure(error))
      .finally(() => this.#waiting--);
  }

  /** Resolves when everything so far has been sent, or failed. */
  async flushed(): Promise<void> {
    await this.#last;
  }

  async #write(
    object: Parameters<EventRecorder['add']>[0],
    type: string,
    reason: string,
    message: string,
  ): Promise<void> {
    const same = JSON.stringify([object.metadata.uid, type, reason, message]);
    const known = this.#known.get(same);
    if (known !== undefined && this.#clock.now() - known.lastAt < SAME_MS && (await this.#countAgain(known))) return;
    const event = this.#createEvent(object, type, reason, message);
    const { apiVersion, kind, metadata } = await this.#options.client.create(event);
    const { namespace, name } = metadata;
    this.#known.set(same, { key: { apiVersion, kind, namespace, name }, count: 1, lastAt: this.#clock.now() });
  }

  /** False when the API server has forgotten the event. */
  async #countAgain(known: KnownEvent): Promise<boolean> {
    try {
      const patch = { count: known.count + 1, lastTimestamp: this.#timestamp() };
      await this.#options.client.patch(known.key, patch);
      known.count++;
      known.lastAt = this.#clock.now();
      return true;
    } catch (error) {
      if (error instanceof KubeError && error.failure === 'notFound') return false;
      throw error;
    }
  }

  #createEvent(
    { apiVersion, kind, metadata }: Parameters<EventRecorder['add']>[0],
    type: string,
    reason: string,
    message: string,
  ): KubeObject {
    const { name, namespace = 'default', uid, resourceVersion } = metadata;
    const { component, instance } = this.#options;
    const now = this.#timestamp();
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name.slice(0, MAX_NAME_CHARACTERS)}.${this.#suffix()}`, namespace },
      involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }

  /** `Time`: whole seconds. */
  #timestamp(): string {
    return this.#clock
      .date()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }
}

/** Cut between characters. */
function withinBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
