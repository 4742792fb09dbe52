/**
 * Events about objects, for `kubectl describe`. They use core/v1 rather than events.k8s.io/v1: the usual tools (`kubectl get events`, exporters)
 * sort and count by `lastTimestamp` and `count`, which newer events leave empty.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Rate, TokenBuckets } from '#shared/util';
import { type Clock, systemClock } from './clock.ts';
import { KubeError } from './kube-error.ts';
import type { KubeClient, KubeObject, ObjectKey, ObjectMeta, ObjectType } from './types.ts';

/** Limit of the API server on the message of an event, in bytes. */
const MAX_MESSAGE_BYTES = 1024;

/** Object names have at most 253 characters; this leaves room for the event's unique suffix. */
const MAX_NAME_CHARACTERS = 236;

/** An event that equals an earlier one within this time increments the count of that one; milliseconds. API servers delete events after an hour. */
const SAME_MS: number = 10 * 60_000;

/** As in client-go: a burst of 25 events about one object, then one every five minutes. */
const RATE: Rate = { maxTokens: 25, refillPeriodMs: 25 * 5 * 60_000 };

/** Maximum number of remembered objects and messages, and of queued events. Further ones are dropped: events are not a log. */
const MAX_REMEMBERED = 2_000;
const MAX_WAITING = 200;

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  /** The reporting component, such as `lintel-controller`. */
  readonly component: string;
  /** The reporting instance, such as the pod's name. */
  readonly instance: string;
  /** Called for an event that could not be written; callers do not wait for events. */
  readonly onFailure: (error: unknown) => void;
  readonly clock?: Clock;
  /** The random suffix of an event's name; replaced in tests. */
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

  /** Reports an event about an object in the cluster. Never fails and never waits. */
  add(
    object: ObjectType & { readonly metadata: ObjectMeta },
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const { uid = '' } = object.metadata;
    if (this.#buckets.take(uid, this.#clock.now()) > 0 || this.#waiting >= MAX_WAITING) return;
    const text = truncateToBytes(message, MAX_MESSAGE_BYTES);
    this.#waiting++;
    // Events are written one after the other, because concurrent updates would corrupt the count.
    this.#last = this.#last
      .then(() => this.#write(object, type, reason, text))
      .catch(error => this.#options.onFailure(error))
      .finally(() => this.#waiting--);
  }

  /** Resolves when all events so far were sent or failed. */
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

  /** Increments the count of an event that was written before. Returns false when the API server no longer has the event. */
  async #countAgain(known: KnownEvent): Promise<boolean> {
    try {
      const patch = { count: known.count + 1, lastTimestamp: this.#formatTimestamp() };
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
    const now = this.#formatTimestamp();
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
  #formatTimestamp(): string {
    return this.#clock
      .date()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }
}

/** Truncates a text to a number of bytes, between two characters. */
function truncateToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
