/** Vectors from a service that speaks the protocol of text-embeddings-inference. */
import { UsageError } from '../usage-error.ts';
import type { Embed } from './found-tools.ts';

/** Longest wait for an answer, in milliseconds; the default of `embeddingServiceTimeout`. */
const TIMEOUT_MS = 30_000;

/** Texts of one request where the service does not say how many it takes. */
const BATCH = 32;

/** @throws UsageError when called, for a service that does not answer or answers something else */
export function embeddingService(url: string): Embed {
  const base = url.replace(/\/+$/, '');
  return async texts => {
    const { max_client_batch_size: size = BATCH } = (await ask(`${base}/info`)) as { max_client_batch_size?: number };
    const vectors: (readonly number[])[] = [];
    for (let at = 0; at < texts.length; at += size) {
      const inputs = texts.slice(at, at + size);
      const answer = await ask(`${base}/embed`, { inputs, truncate: true });
      if (!isVectors(answer, inputs.length))
        throw new UsageError(`${base}/embed did not answer a vector for each text`);
      vectors.push(...answer);
    }
    if (new Set(vectors.map(({ length }) => length)).size > 1)
      throw new UsageError(`${base}/embed answered vectors of different lengths`);
    return vectors;
  };
}

async function ask(url: string, body?: object): Promise<unknown> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return await answer.json();
  } catch (error) {
    const { message, cause } = error as Error;
    const detail = cause instanceof Error && cause.message !== '' ? cause.message : message;
    throw new UsageError(`cannot ask the embedding service ${url}: ${detail}`);
  }
}

function isVectors(value: unknown, count: number): value is readonly (readonly number[])[] {
  return (
    Array.isArray(value) &&
    value.length === count &&
    value.every(vector => Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite))
  );
}
