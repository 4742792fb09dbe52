/**
 * Requests to embedding services, and their responses.
 *
 * - `tei`: text-embeddings-inference
 * - `openai`: services with the API of OpenAI
 *
 * @see https://huggingface.github.io/text-embeddings-inference/
 * @see https://platform.openai.com/docs/api-reference/embeddings/create
 */
export type EmbeddingProvider = 'tei' | 'openai';

/** The traits that an embedding service reports. */
export interface EmbeddingTraits {
  /** The model; vectors of different models must not be compared. Undefined where the service does not report it. */
  readonly model: string | undefined;
  /** Maximum number of texts in one request. */
  readonly maxBatch: number;
}

export interface EmbeddingProtocol {
  /** The path below the service's URL at which it reports its traits; undefined when it has no such path. */
  readonly traitsPath: string | undefined;
  /** The traits of a service that does not report any. */
  readonly defaults: EmbeddingTraits;
  /** Path below the service's URL to which texts are sent. */
  readonly path: string;
  /**
   * The body of a request.
   *
   * @param model for services with several models
   */
  body(texts: readonly string[], model: string | undefined): object;
  /** @throws EmbeddingResponseError */
  traits(answer: unknown): EmbeddingTraits;
  /**
   * One vector for each text, in the same order, all of one length.
   *
   * @throws EmbeddingResponseError
   */
  vectors(answer: unknown, count: number): readonly (readonly number[])[];
}

/** A response that violates the protocol. The message is appended to the name of the service. */
export class EmbeddingResponseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EmbeddingResponseError';
  }
}

/** Maximum number of dimensions of a vector; more than any model has. */
const MAX_DIMENSIONS = 16_384;

const TEI: EmbeddingProtocol = {
  traitsPath: '/info',
  defaults: { model: undefined, maxBatch: 32 },
  path: '/embed',
  body: texts => ({ inputs: texts, truncate: true }),
  traits: answer => {
    const { model_id: model, model_sha: revision, max_client_batch_size: size } = requireObject(answer);
    if (model !== undefined && typeof model !== 'string')
      throw new EmbeddingResponseError('answered with a model_id that is not a string');
    const isRevised = typeof revision === 'string' && revision !== '';
    return {
      model: model !== undefined && isRevised ? `${model}@${revision}` : model,
      maxBatch: Number.isInteger(size) && (size as number) > 0 ? (size as number) : TEI.defaults.maxBatch,
    };
  },
  vectors: (answer, count) => checkVectors(answer, count),
};

const OPENAI: EmbeddingProtocol = {
  traitsPath: undefined,
  defaults: { model: undefined, maxBatch: 2_048 },
  path: '/embeddings',
  body: (texts, model) => ({ ...(model === undefined ? {} : { model }), input: texts, encoding_format: 'float' }),
  traits: () => OPENAI.defaults,
  vectors: (answer, count) => {
    const { data } = requireObject(answer);
    if (!Array.isArray(data)) throw new EmbeddingResponseError('answered without a list of embeddings');
    const ordered: unknown[] = [];
    // If the items have no `index`, the vectors are in the order of the texts.
    for (const [at, item] of data.entries()) {
      const { index = at, embedding } = requireObject(item);
      if (
        !Number.isInteger(index) ||
        (index as number) < 0 ||
        (index as number) >= count ||
        ordered[index as number] !== undefined
      )
        throw new EmbeddingResponseError('answered with an index that matches no text, or that occurs twice');
      ordered[index as number] = embedding;
    }
    return checkVectors(ordered, count);
  },
};

export const EMBEDDING_PROTOCOLS: Readonly<Record<EmbeddingProvider, EmbeddingProtocol>> = { tei: TEI, openai: OPENAI };

/** The URL of a path of a service. The base may end with a slash and may have a query. */
export function formatEmbeddingUrl(base: string, path: string): URL {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

function checkVectors(vectors: unknown, count: number): readonly (readonly number[])[] {
  if (!Array.isArray(vectors) || vectors.length !== count || !Array.from(vectors).every(isVector))
    throw new EmbeddingResponseError('did not answer with a vector for each text');
  const found = vectors as readonly (readonly number[])[];
  if (found.some(({ length }) => length !== found[0]?.length))
    throw new EmbeddingResponseError('answered with vectors of different lengths');
  return found;
}

function isVector(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DIMENSIONS) return false;
  // A loop is faster than `every` for thousands of numbers.
  for (const number of value) if (!Number.isFinite(number)) return false;
  return true;
}

function requireObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new EmbeddingResponseError('answered with something other than an object');
  return value as Readonly<Record<string, unknown>>;
}
