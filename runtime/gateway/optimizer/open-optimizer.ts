import { join } from 'node:path';
import { type EmbeddingPlan, formatCanonicalJson, type GatewayBundle, type PrivateDenial } from '#schemas';
import { readSecret, SecretError } from '../../auth/secrets.ts';
import { createHttpClient } from '../../http/client.ts';
import type { Logger } from '../../observe/log.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import { Embedder } from './embeddings/embedder.ts';
import { EmbeddingService, MAX_RESPONSE_BYTES } from './embeddings/embedding-service.ts';
import type { EmbeddingSource } from './embeddings/embedding-source.ts';
import { VectorFile } from './embeddings/vector-file.ts';
import { Optimizer } from './optimizer.ts';

/** Limit on all vectors of a gateway: 43,000 texts with vectors of 384 numbers. Bytes. */
const MAX_VECTOR_BYTES = 64 * 1024 * 1024;

/** Maximum number of concurrent requests to the embedding service; further ones wait. */
const CONNECTIONS = 16;

export interface EmbeddingOptions {
  readonly log: Logger;
  readonly denial: PrivateDenial | undefined;
  /** Where embeddings are stored across restarts; undefined: nowhere. */
  readonly stateFolder: string | undefined;
}

export interface OptimizerOptions extends EmbeddingOptions {
  readonly scheduler: CooperativeScheduler;
  /** The source of embeddings, which also stores them; if undefined, this process uses the service of the plan. */
  readonly embeddingSource: ((plan: EmbeddingPlan) => EmbeddingSource) | undefined;
}

/**
 * Opens the optimizer of a bundle.
 * @param previous the optimizer of the previous bundle, whose index and embeddings stay in use where the plan is the same
 */
export function openOptimizer(
  { optimizer: plan }: GatewayBundle,
  options: OptimizerOptions,
  previous?: Optimizer,
): Optimizer | undefined {
  if (plan === undefined) return undefined;
  const { embeddings } = plan;
  const isSame = formatCanonicalJson(embeddings ?? null) === formatCanonicalJson(previous?.embedder?.plan ?? null);
  const embedder = isSame ? previous?.embedder : embeddings && createEmbedder(embeddings, options);
  return new Optimizer(plan, options.scheduler, embedder, previous);
}

function createEmbedder(plan: EmbeddingPlan, options: OptimizerOptions): Embedder {
  const { embeddingSource, log } = options;
  if (embeddingSource === undefined) return openEmbedder(plan, options);
  return new Embedder(plan, embeddingSource(plan), { log, maxBytes: MAX_VECTOR_BYTES });
}

/** Opens the client of a plan's service. */
export function openEmbedder(plan: EmbeddingPlan, { log, denial, stateFolder }: EmbeddingOptions): Embedder {
  const { addresses } = plan;
  const client = createHttpClient({
    addresses,
    denial,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    connections: CONNECTIONS,
  });
  const file =
    stateFolder === undefined ? undefined : new VectorFile(join(stateFolder, 'embeddings.bin'), MAX_VECTOR_BYTES, log);
  const service = new EmbeddingService(plan, client, readApiKey(plan));
  return new Embedder(plan, service, { log, file, maxBytes: MAX_VECTOR_BYTES });
}

/** The key of the service; undefined when it needs none, as often when it is self-hosted. */
function readApiKey({ apiKey }: EmbeddingPlan): string | undefined {
  if (apiKey === null) return undefined;
  try {
    return readSecret(apiKey, 'key of the embedding service');
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}
