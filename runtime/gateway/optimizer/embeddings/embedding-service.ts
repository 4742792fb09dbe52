/** Requests to a service that embeds texts. */
import type { EmbeddingPlan } from '#schemas';
import {
  EMBEDDING_PROTOCOLS,
  type EmbeddingProtocol,
  EmbeddingResponseError,
  type EmbeddingTraits,
  formatEmbeddingUrl,
} from '#shared/search';
import type { HttpClient } from '../../../http/client.ts';
import { getHeader } from '../../../http/exchange.ts';
import { RequestError, requestText, type TextResponse } from '../../../http/request-text.ts';
import { EmbeddingCounts, type EmbeddingPurpose, type EmbeddingResult } from './embedding-counts.ts';
import { ConnectionLostError, EmbeddingError, TextsRefusedError } from './embedding-error.ts';
import type { EmbeddingSource } from './embedding-source.ts';

/** Limit on one answer, in bytes. */
export const MAX_RESPONSE_BYTES: number = 16 * 1024 * 1024;

/** Limit on the wait that a service may request; milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/** A text that every service accepts: it shows whether a refusal concerns one text, or everything. */
const HARMLESS_TEXT = 'name: ping description: Says hello.';

/** HTTP statuses with which a healthy service refuses a request: malformed, too large, cannot be tokenized. */
const REFUSES_TEXTS: ReadonlySet<number> = new Set([400, 413, 422]);

export class EmbeddingService implements EmbeddingSource {
  readonly counts: EmbeddingCounts = new EmbeddingCounts();
  readonly #plan: EmbeddingPlan;
  readonly #protocol: EmbeddingProtocol;
  readonly #client: HttpClient;
  readonly #apiKey: string | undefined;

  /**
   * @param client closed with the service
   * @param apiKey bearer token; undefined for none
   */
  constructor(plan: EmbeddingPlan, client: HttpClient, apiKey: string | undefined) {
    this.#plan = plan;
    this.#protocol = EMBEDDING_PROTOCOLS[plan.provider];
    this.#client = client;
    this.#apiKey = apiKey;
  }

  get saysWhatItIs(): boolean {
    return this.#protocol.traitsPath !== undefined;
  }

  async traits(): Promise<EmbeddingTraits> {
    const { traitsPath, defaults } = this.#protocol;
    const { model } = this.#plan;
    const traits =
      traitsPath === undefined
        ? defaults
        : await this.#ask(traitsPath, undefined, this.#plan.timeoutMs, answer => this.#protocol.traits(answer));
    return { ...traits, model: traits.model ?? model ?? undefined };
  }

  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    return this.#embed('text', texts, this.#plan.timeoutMs);
  }

  async embedQuery(text: string): Promise<readonly number[]> {
    const attempt = () => this.#embed('query', [text], this.#plan.timeoutMs);
    // A broken connection is tried again once and at once, because the service may have closed an idle one. A request to a slow or busy service is
    // not repeated.
    const [vector] = await attempt().catch(error => {
      if (error instanceof ConnectionLostError) return attempt();
      throw error;
    });
    return vector as readonly number[];
  }

  async probe(): Promise<void> {
    await this.embed([HARMLESS_TEXT]);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #embed(
    purpose: EmbeddingPurpose,
    texts: readonly string[],
    timeoutMs: number,
  ): Promise<readonly (readonly number[])[]> {
    const body = JSON.stringify(this.#protocol.body(texts, this.#plan.model ?? undefined));
    const startedAt = performance.now();
    const count = (result: EmbeddingResult) =>
      this.counts.add(purpose, result, (performance.now() - startedAt) / 1_000);
    try {
      const read = (answer: unknown) => this.#protocol.vectors(answer, texts.length);
      const vectors = await this.#ask(this.#protocol.path, body, timeoutMs, read);
      count('success');
      return vectors;
    } catch (error) {
      count('error');
      throw error;
    }
  }

  async #ask<T>(path: string, body: string | undefined, timeoutMs: number, read: (answer: unknown) => T): Promise<T> {
    const url = formatEmbeddingUrl(this.#plan.url, path);
    const request = {
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: {
        ...Object.fromEntries(this.#plan.headers.map(({ name, value }) => [name, value])),
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
      },
      ...(body === undefined ? {} : { body }),
    } as const;
    const location = url.origin + url.pathname;
    try {
      const answer = await requestText(this.#client, request, { maxBytes: MAX_RESPONSE_BYTES, timeoutMs });
      if (answer.status !== 200) throw toEmbeddingError(answer, location);
      return read(JSON.parse(answer.body));
    } catch (error) {
      if (error instanceof RequestError) {
        const isLost = error.reason === 'connection_failed';
        throw isLost ? new ConnectionLostError(error.message) : new EmbeddingError(error.message);
      }
      if (error instanceof EmbeddingResponseError)
        throw new EmbeddingError(`${location}: the service ${error.message}`);
      if (error instanceof SyntaxError) throw new EmbeddingError(`${location}: the service did not answer JSON`);
      throw error;
    }
  }
}

function toEmbeddingError({ status, headers }: TextResponse, location: string): EmbeddingError {
  const message = `${location}: the service answered ${status}`;
  if (REFUSES_TEXTS.has(status)) return new TextsRefusedError(message);
  if (status === 401 || status === 403)
    return new EmbeddingError(`${message}: it does not accept the credential, or requires a credential`);
  if (status === 404) return new EmbeddingError(`${message}: the URL or the model may be wrong`);
  const seconds = Number(getHeader(headers, 'retry-after'));
  return new EmbeddingError(message, seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : 0);
}
