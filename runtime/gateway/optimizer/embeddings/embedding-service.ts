/** Requests to a service that embeds texts. */
import type { EmbeddingPlan } from '#schemas';
import {
  EMBEDDING_PROTOCOLS,
  EmbeddingAnswerError,
  type EmbeddingProtocol,
  type EmbeddingTraits,
  embeddingUrl,
} from '#search';
import type { HttpClient } from '../../../http/client.ts';
import { headerValue } from '../../../http/exchange.ts';
import { RequestError, requestText, type TextAnswer } from '../../../http/request-text.ts';
import { EmbeddingError, TextsRefusedError } from './embedding-error.ts';

/** Ceiling on one answer, in bytes. */
export const MAX_ANSWER_BYTES: number = 16 * 1024 * 1024;

/** Longest that a service may ask to be left alone; milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Statuses of a service that works and does not like what it was sent: malformed, too large, cannot be tokenized. */
const REFUSES_TEXTS: ReadonlySet<number> = new Set([400, 413, 422]);

export class EmbeddingService {
  readonly #plan: EmbeddingPlan;
  readonly #protocol: EmbeddingProtocol;
  readonly #client: HttpClient;
  readonly #apiKey: string | undefined;

  /** @param apiKey bearer token; undefined for none */
  constructor(plan: EmbeddingPlan, client: HttpClient, apiKey: string | undefined) {
    this.#plan = plan;
    this.#protocol = EMBEDDING_PROTOCOLS[plan.provider];
    this.#client = client;
    this.#apiKey = apiKey;
  }

  /** Whether it can be asked what it is; else that stands in the plan. */
  get saysWhatItIs(): boolean {
    return this.#protocol.traitsPath !== undefined;
  }

  /**
   * What it says of itself, with the model of the plan where it does not name one.
   *
   * @throws EmbeddingError
   */
  async traits(): Promise<EmbeddingTraits> {
    const { traitsPath, defaults } = this.#protocol;
    const { model } = this.#plan;
    const traits =
      traitsPath === undefined
        ? defaults
        : await this.#ask(traitsPath, undefined, this.#plan.timeoutMs, answer => this.#protocol.traits(answer));
    return { ...traits, model: traits.model ?? model ?? undefined };
  }

  /**
   * @param timeoutMs beyond that of the plan it has no effect
   * @returns a vector for each text, in their order, all of one length
   * @throws TextsRefusedError, EmbeddingError
   */
  embed(texts: readonly string[], timeoutMs: number = this.#plan.timeoutMs): Promise<readonly (readonly number[])[]> {
    const body = JSON.stringify(this.#protocol.body(texts, this.#plan.model ?? undefined));
    return this.#ask(this.#protocol.path, body, Math.min(timeoutMs, this.#plan.timeoutMs), answer =>
      this.#protocol.vectors(answer, texts.length),
    );
  }

  async #ask<T>(path: string, body: string | undefined, timeoutMs: number, read: (answer: unknown) => T): Promise<T> {
    const url = embeddingUrl(this.#plan.url, path);
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
    const place = url.origin + url.pathname;
    try {
      const answer = await requestText(this.#client, request, { maxBytes: MAX_ANSWER_BYTES, timeoutMs });
      if (answer.status !== 200) throw errorOf(answer, place);
      return read(JSON.parse(answer.body));
    } catch (error) {
      if (error instanceof RequestError) throw new EmbeddingError(error.message);
      if (error instanceof EmbeddingAnswerError) throw new EmbeddingError(`${place}: the service ${error.message}`);
      if (error instanceof SyntaxError) throw new EmbeddingError(`${place}: the service did not answer JSON`);
      throw error;
    }
  }
}

function errorOf({ status, headers }: TextAnswer, place: string): EmbeddingError {
  const message = `${place}: the service answered ${status}`;
  if (REFUSES_TEXTS.has(status)) return new TextsRefusedError(message);
  if (status === 401 || status === 403)
    return new EmbeddingError(`${message}: it does not accept the credential, or wants one`);
  if (status === 404) return new EmbeddingError(`${message}: the URL or the model may be wrong`);
  const seconds = Number(headerValue(headers, 'retry-after'));
  return new EmbeddingError(message, seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : 0);
}
