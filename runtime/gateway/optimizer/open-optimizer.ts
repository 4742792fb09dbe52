import { join } from 'node:path';
import { canonicalJson, type EmbeddingPlan, type GatewayBundle, type PrivateDenial } from '#schemas';
import { readSecret, SecretError } from '../../auth/secrets.ts';
import { createHttpClient } from '../../http/client.ts';
import type { Logger } from '../../observe/log.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import { Embedder } from './embeddings/embedder.ts';
import { EmbeddingService, MAX_RESPONSE_BYTES } from './embeddings/embedding-service.ts';
import type { EmbeddingSource } from './embeddings/embedding-source.ts';
import { VectorFile } from './embeddings/vector-file.ts';
import { Optimizer } from './optimizer.ts';

/** All vectors of a gateway together: of 43,000 texts where a vector has 384 numbers. Bytes. */
const MAX_VECTOR_BYTES = 64 * 1024 * 1024;

/** Requests to the embedding service under way; what comes on top waits. */
const CONNECTIONS = 16;

export interface EmbeddingOptions {
  readonly log: Logger;
  readonly denial: PrivateDenial | undefined;
  /** Where embeddings are kept across restarts; undefined: nowhere. */
  readonly stateFolder: string | undefined;
}

export interface OptimizerOptions extends EmbeddingOptions {
  readonly slices: CooperativeScheduler;
  /** What embeds, and keeps what it has embedded; undefined: the service of the plan, asked by this process. */
  readonly embeddingSource: ((plan: EmbeddingPlan) => EmbeddingSource) | undefined;
}

/** @param earlier of the bundle before: what both have in common goes on */
export function openOptimizer(
  { optimizer: plan }: GatewayBundle,
  options: OptimizerOptions,
  earlier?: Optimizer,
): Optimizer | undefined {
  if (plan === undefined) return undefined;
  const { embeddings } = plan;
  const isSame = canonicalJson(embeddings ?? null) === canonicalJson(earlier?.embedder?.plan ?? null);
  const embedder = isSame ? earlier?.embedder : embeddings && createEmbedder(embeddings, options);
  return new Optimizer(plan, options.slices, embedder, earlier);
}

function createEmbedder(plan: EmbeddingPlan, options: OptimizerOptions): Embedder {
  const { embeddingSource, log } = options;
  if (embeddingSource === undefined) return openEmbedder(plan, options);
  return new Embedder(plan, embeddingSource(plan), { log, maxBytes: MAX_VECTOR_BYTES });
}

/** What asks the service of a plan. */
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

/** Self-hosted services often ask for no key. */
function readApiKey({ apiKey }: EmbeddingPlan): string | undefined {
  if (apiKey === null) return undefined;
  try {
    return readSecret(apiKey, 'key of the embedding service');
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}
