/** Vectors from an embedding service. */
import {
  EMBEDDING_PROTOCOLS,
  type EmbeddingProvider,
  EmbeddingResponseError,
  formatEmbeddingUrl,
} from '#shared/search';
import { describeFetchError } from '../diagnostics/fetch-error.ts';
import { UsageError } from '../usage-error.ts';
import type { Embed } from './found-tools.ts';

/** Timeout of an answer, in milliseconds; the default of `embeddingServiceTimeout`. */
const TIMEOUT_MS = 30_000;

/** Maximum number of texts in one request, to limit the size of the answer. */
const MAX_BATCH = 256;

export interface EmbeddingServiceOptions {
  readonly provider: EmbeddingProvider;
  /** The model to request, if the service has several. */
  readonly model: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws UsageError when called, for a service that does not answer or sends an invalid answer */
export function createEmbeddingService(base: string, { provider, model, headers }: EmbeddingServiceOptions): Embed {
  const { traitsPath, defaults, path, body, ...protocol } = EMBEDDING_PROTOCOLS[provider];
  return async texts => {
    const traits =
      traitsPath === undefined
        ? defaults
        : await ask(formatEmbeddingUrl(base, traitsPath), headers, undefined, answer => protocol.traits(answer));
    const size = Math.min(traits.maxBatch, MAX_BATCH);
    const vectors: (readonly number[])[] = [];
    for (let at = 0; at < texts.length; at += size) {
      const batch = texts.slice(at, at + size);
      const read = (answer: unknown) => protocol.vectors(answer, batch.length);
      vectors.push(...(await ask(formatEmbeddingUrl(base, path), headers, body(batch, model), read)));
    }
    if (new Set(vectors.map(({ length }) => length)).size > 1)
      throw new UsageError(`${base} answered with vectors of different lengths`);
    return vectors;
  };
}

async function ask<T>(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: object | undefined,
  read: (answer: unknown) => T,
): Promise<T> {
  const location = url.origin + url.pathname;
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
      ...(body === undefined
        ? { headers }
        : { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return read(await answer.json());
  } catch (error) {
    if (error instanceof EmbeddingResponseError) throw new UsageError(`${location} ${error.message}`);
    throw new UsageError(`cannot ask the embedding service ${location}: ${describeFetchError(error, url, TIMEOUT_MS)}`);
  }
}
