/**
 * Embeds each text once, and continues when the service is unavailable: it tries waiting texts again with pauses, and no caller waits for them.
 * Searches request the vector of their description, and do without it while the service is unavailable.
 */
import type { EmbeddingPlan } from '#schemas';
import type { EmbeddingTraits, VectorTable } from '#shared/search';
import type { Logger } from '../../../observe/log.ts';
import { CircuitBreaker, type CircuitState, type Clock } from '../../backends/health/circuit-breaker.ts';
import { EmbeddedTexts } from './embedded-texts.ts';
import type { EmbeddingCounts } from './embedding-counts.ts';
import { EmbeddingError, TextsRefusedError } from './embedding-error.ts';
import type { EmbeddingSource } from './embedding-source.ts';
import { QueryVectors } from './query-vectors.ts';
import type { VectorFile } from './vector-file.ts';

/** Consecutive failures after which the embedder stops using the service for a while. */
const BREAKER = { failureThreshold: 3, timeoutMs: 10_000 };

/** Pause after a failure while the circuit is closed; milliseconds. */
const RETRY_MS = 1_000;

/** How often the embedder queries a service that identifies its model: the URL may lead to another model by now. Milliseconds. */
const IDENTIFY_MS = 60_000;

/**
 * Maximum number of vector components to request at a time: an answer is parsed in one go, which takes about as many nanoseconds as a tenth
 * of this number.
 */
const NUMBERS_AT_A_TIME = 16_384;

/** Number of texts in the first request, when the length of vectors is not known yet. */
const FIRST_BATCH = 8;

/** Maximum number of characters of the texts of one request. */
const MAX_BATCH_LENGTH = 64 * 1024;

/** Embeddings are written when none was added for this time, or when the first one has waited for ten times as long; milliseconds. */
const SAVE_MS = 3_000;

export interface EmbedderOptions {
  readonly log: Logger;
  /** Where embeddings are stored across restarts; undefined: nowhere. */
  readonly file?: VectorFile | undefined;
  /** Maximum number of bytes of all vectors together. */
  readonly maxBytes: number;
  readonly clock?: Clock;
}

export interface EmbedderListener {
  /** Called when a wanted text has its vector. */
  embedded(key: string, row: number): void;
  /** Called when the rows so far are invalid: `table` has all known vectors; undefined when there are none. */
  replaced(table: VectorTable | undefined): void;
  /** The keys of all texts that are still searched by their vectors. */
  keysInUse(): Iterable<string>;
  /** Called when texts were embedded or refused, or when the service has begun or ceased to answer. */
  progressed?(): void;
}

export interface EmbedderStatus {
  readonly provider: string;
  /** The name of the model; null until it is known. */
  readonly model: string | null;
  /** Whether the service answers. */
  readonly ready: boolean;
  /** Why the service does not answer; null while it does, and before the first request. */
  readonly problem: string | null;
  readonly circuitBreakerState: CircuitState;
  /** The numbers of texts with a vector, of texts that wait for one, and of texts that the service refuses. */
  readonly embedded: number;
  readonly waiting: number;
  readonly refused: number;
}

export class Embedder {
  readonly plan: EmbeddingPlan;
  listener: EmbedderListener | undefined;
  readonly #source: EmbeddingSource;
  readonly #log: Logger;
  readonly #file: VectorFile | undefined;
  readonly #clock: Clock;
  readonly #breaker: CircuitBreaker;
  readonly #texts: EmbeddedTexts;
  /** Texts to be embedded, by their keys. */
  readonly #queue = new Map<string, string>();
  readonly #refused = new Set<string>();
  readonly #queries = new QueryVectors();
  #traits: EmbeddingTraits | undefined;
  #identifiedAt = 0;
  /** The maximum number of texts in a request, after the service has refused a larger number. */
  #maxBatch = Number.POSITIVE_INFINITY;
  #problem: string | undefined;
  #hasAnswered = false;
  #isFullLogged = false;
  #notBefore = 0;
  #wake: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #saving: { readonly since: number; timer: NodeJS.Timeout } | undefined;
  #isClosed = false;
  readonly #running: Promise<void>;

  /** @param source closed together with the embedder */
  constructor(plan: EmbeddingPlan, source: EmbeddingSource, { log, file, maxBytes, clock = SYSTEM }: EmbedderOptions) {
    this.plan = plan;
    this.#source = source;
    this.#log = log;
    this.#file = file;
    this.#clock = clock;
    this.#breaker = new CircuitBreaker(BREAKER, clock);
    this.#texts = new EmbeddedTexts(maxBytes);
    this.#running = this.#run();
  }

  get counts(): EmbeddingCounts {
    return this.#source.counts;
  }

  /** What the service says about its model; undefined until it has answered. */
  get traits(): EmbeddingTraits | undefined {
    return this.#traits;
  }

  /** Why the service does not answer; undefined while it does, and before the first request. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The vectors; undefined until there is one. */
  get table(): VectorTable | undefined {
    return this.#texts.table;
  }

  get isReady(): boolean {
    return this.#hasAnswered && this.#problem === undefined;
  }

  get status(): EmbedderStatus {
    return {
      provider: this.plan.provider,
      model: this.#traits?.model ?? this.plan.model,
      ready: this.isReady,
      problem: this.#problem ?? null,
      circuitBreakerState: this.#breaker.state,
      embedded: this.#texts.size,
      waiting: this.#queue.size,
      refused: this.#refused.size,
    };
  }

  findRow(key: string): number | undefined {
    return this.#texts.findRow(key);
  }

  /** Whether the service refuses this text. */
  isRefused(key: string): boolean {
    return this.#refused.has(key);
  }

  /** Requests the vector of a text; the listener gets it later. */
  want(key: string, text: string): void {
    if (this.#refused.has(key) || this.#texts.findRow(key) !== undefined) return;
    this.#queue.set(key, text);
    if (this.#queue.size === 1) this.#wake();
  }

  /** Forgets the waiting texts: callers request again those that they still need. */
  forgetWaiting(): void {
    this.#queue.clear();
    this.#refused.clear();
  }

  /** The vector of an agent's description; undefined when it is not available now. */
  async findVector(text: string): Promise<ArrayLike<number> | undefined> {
    try {
      return await this.findQueryVector(text);
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      return undefined;
    }
  }

  /**
   * Does the same as {@link findVector}, but fails if the service does.
   * @throws EmbeddingError when a request to the service failed
   */
  async findQueryVector(text: string): Promise<ArrayLike<number> | undefined> {
    if (this.#texts.table === undefined) return undefined;
    const vector = await this.#queries.getOrEmbed(text, () => this.#embedQuery(text));
    if (vector?.length === this.#texts.dimensions) return vector;
    if (vector !== undefined) this.#startOver();
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#source.close();
    await this.#running;
    if (this.#saving !== undefined) await this.#save();
  }

  async #embedQuery(text: string): Promise<ArrayLike<number> | undefined> {
    const ticket = this.#breaker.take();
    if (ticket === undefined) return undefined;
    try {
      const vector = await this.#source.embedQuery(text);
      this.#breaker.settle(ticket, 'success');
      this.#handleSuccess();
      return vector;
    } catch (error) {
      if (error instanceof TextsRefusedError) this.#breaker.settle(ticket, 'neither');
      else this.#handleFailure(error, () => this.#breaker.settle(ticket, 'failure', (error as Error).message));
      throw error;
    }
  }

  async #run(): Promise<void> {
    const stored = await this.#file?.read();
    if (stored !== undefined && !this.#isClosed) {
      this.#texts.restore(stored);
      for (const key of this.#queue.keys()) if (this.#texts.findRow(key) !== undefined) this.#queue.delete(key);
      this.listener?.replaced(this.#texts.table);
    }
    while (!this.#isClosed) {
      const waitMs = this.#computeMsUntilWork();
      if (waitMs > 0) await this.#sleep(waitMs);
      else await this.#work();
    }
  }

  /** Milliseconds until there is something to do. A wait that is too long does no harm, because every event ends it. */
  #computeMsUntilWork(): number {
    if (!this.#breaker.lets) return Math.max(this.#breaker.waitMs, RETRY_MS);
    const now = this.#clock.now();
    if (this.#notBefore > now) return this.#notBefore - now;
    if (this.#traits === undefined || this.#problem !== undefined || this.#queue.size > 0) return 0;
    return this.#source.saysWhatItIs ? Math.max(0, this.#identifiedAt + IDENTIFY_MS - now) : IDENTIFY_MS;
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>(resolve => {
      this.#wake = resolve;
      this.#timer = setTimeout(resolve, ms).unref();
    });
    clearTimeout(this.#timer);
    this.#wake = () => {};
  }

  async #work(): Promise<void> {
    const ticket = this.#breaker.take();
    if (ticket === undefined) return;
    try {
      await this.#identify();
      if (this.#queue.size > 0) await this.#embedNext();
      else if (!this.isReady) await this.#source.probe();
      this.#breaker.settle(ticket, 'success');
      this.#handleSuccess();
    } catch (error) {
      this.#notBefore =
        this.#clock.now() + Math.max(RETRY_MS, error instanceof EmbeddingError ? error.retryAfterMs : 0);
      this.#handleFailure(error, () => this.#breaker.settle(ticket, 'failure', (error as Error).message));
    }
  }

  /**
   * Removes all vectors, because the new ones have another length and cannot be compared with them: the service uses another model, even if the name
   * is the same.
   */
  #startOver(): void {
    this.#log.info({}, 'the embedding service answers vectors of another length: texts are embedded again');
    this.#texts.forget();
    this.#queries.clear();
    this.#refused.clear();
    this.listener?.replaced(undefined);
    this.#identifiedAt = Number.NEGATIVE_INFINITY;
    this.#wake();
  }

  async #identify(): Promise<void> {
    const now = this.#clock.now();
    if (this.#traits !== undefined && this.#problem === undefined && now < this.#identifiedAt + IDENTIFY_MS) return;
    const traits = await this.#source.traits();
    this.#traits = traits;
    this.#identifiedAt = this.#clock.now();
    const { provider, url } = this.plan;
    // A model without a name is identified by its address.
    if (!this.#texts.become({ provider, model: traits.model ?? url })) return;
    this.#log.info(
      { provider, model: traits.model },
      'the embedding service uses another model now: texts are embedded again',
    );
    this.#queries.clear();
    this.#refused.clear();
    this.listener?.replaced(undefined);
  }

  async #embedNext(): Promise<void> {
    const batch = this.#takeNextBatch();
    const texts = batch.map(([, text]) => text);
    let vectors: readonly ArrayLike<number>[];
    try {
      vectors = await this.#source.embed(texts);
    } catch (error) {
      if (!(error instanceof TextsRefusedError)) throw error;
      await this.#refuseBatch(batch, error);
      return;
    }
    for (const [at, [key]] of batch.entries()) this.#keep(key, vectors[at] as ArrayLike<number>);
    this.#saveSoon();
  }

  #takeNextBatch(): readonly (readonly [key: string, text: string])[] {
    const { dimensions } = this.#texts;
    const fitting = dimensions === undefined ? FIRST_BATCH : Math.floor(NUMBERS_AT_A_TIME / dimensions);
    const size = Math.max(1, Math.min(fitting, this.#traits?.maxBatch ?? 1, this.#maxBatch));
    const batch: (readonly [string, string])[] = [];
    let length = 0;
    for (const entry of this.#queue) {
      length += entry[1].length;
      if (batch.length === size || (batch.length > 0 && length > MAX_BATCH_LENGTH)) break;
      batch.push(entry);
    }
    return batch;
  }

  /**
   * The service refused one of the texts, or their number: the embedder sends them again in halves. It gives up a text that is refused alone.
   */
  async #refuseBatch(batch: readonly (readonly [key: string, text: string])[], error: EmbeddingError): Promise<void> {
    if (batch.length > 1) {
      this.#maxBatch = Math.ceil(batch.length / 2);
      return;
    }
    const [[key] = ['']] = batch;
    // If the service also refuses a harmless text, it refuses everything, for example because it requires another model: that says nothing about this
    // text.
    try {
      await this.#source.probe();
    } catch (secondError) {
      throw secondError instanceof TextsRefusedError ? new EmbeddingError(secondError.message) : secondError;
    }
    this.#giveUp(key, error.message);
  }

  #keep(key: string, vector: ArrayLike<number>): void {
    if (this.#texts.isFull && !this.#makeRoom()) {
      this.#queue.delete(key);
      this.#refused.add(key);
      return;
    }
    try {
      const { row, isNewTable } = this.#texts.add(key, vector);
      this.#queue.delete(key);
      if (isNewTable) this.listener?.replaced(this.#texts.table);
      else this.listener?.embedded(key, row);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#giveUp(key, error.message);
    }
  }

  #giveUp(key: string, cause: string): void {
    this.#queue.delete(key);
    if (this.#refused.size === 0)
      this.#log.warn(
        { cause },
        'the embedding service does not accept the text of a tool: the tool is found by keywords only',
      );
    this.#refused.add(key);
    // The service refused this text, and not the number of texts in a request.
    this.#maxBatch = Number.POSITIVE_INFINITY;
  }

  /** Removes vectors of texts that no search uses any more. */
  #makeRoom(): boolean {
    this.#texts.keepOnly(this.listener?.keysInUse() ?? []);
    this.listener?.replaced(this.#texts.table);
    if (!this.#texts.isFull) return true;
    if (!this.#isFullLogged)
      this.#log.warn(
        { texts: this.#texts.size },
        'no more texts are embedded: further tools are found by keywords only',
      );
    this.#isFullLogged = true;
    return false;
  }

  #handleSuccess(): void {
    this.#hasAnswered = true;
    if (this.#problem !== undefined) this.#log.info({}, 'the embedding service answers again');
    this.#problem = undefined;
    this.#notBefore = 0;
    this.listener?.progressed?.();
  }

  #handleFailure(error: unknown, settle: () => void): void {
    if (this.#isClosed) return;
    settle();
    const { message } = error as Error;
    if (!(error instanceof EmbeddingError)) this.#log.error({ err: error }, 'texts could not be embedded');
    else if (this.#problem === undefined)
      this.#log.warn({ cause: message }, 'the embedding service does not answer: tools are found by keywords only');
    const isNew = this.#problem === undefined;
    this.#problem = message;
    if (isNew) this.#wake();
    this.listener?.progressed?.();
  }

  #saveSoon(): void {
    if (this.#file === undefined) return;
    const now = this.#clock.now();
    const since = this.#saving?.since ?? now;
    clearTimeout(this.#saving?.timer);
    const waitMs = Math.max(0, Math.min(SAVE_MS, since + 10 * SAVE_MS - now));
    const timer = setTimeout(() => {
      this.#save().catch((error: unknown) => this.#log.error({ err: error }, 'embeddings could not be stored'));
    }, waitMs).unref();
    this.#saving = { since, timer };
  }

  async #save(): Promise<void> {
    clearTimeout(this.#saving?.timer);
    this.#saving = undefined;
    const { stored } = this.#texts;
    if (stored !== undefined) await this.#file?.write(stored);
  }
}

const SYSTEM: Clock = { now: () => performance.now(), date: () => new Date() };
