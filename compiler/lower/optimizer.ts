import type { GatewayConfig, OptimizerPlan } from '#schemas';
import type { Tracked } from './tracked.ts';

type Optimizer = NonNullable<GatewayConfig['optimizer']>;

/** Undefined where clients read the list of tools. */
export function lowerOptimizer(config: Tracked<GatewayConfig> | undefined): OptimizerPlan | undefined {
  const optimizer = config?.child('optimizer')?.countsByPresence();
  if (optimizer === undefined) return undefined;
  if (asksForEmbeddings(optimizer)) config?.unsupported('optimizer', 'search by meaning');
  // How long to wait for a service that is not there.
  optimizer.get('embeddingServiceTimeout');
  optimizer.get('embeddingProvider');
  return {
    maxTools: optimizer.get('maxToolsToReturn') as number,
    semanticRatio: Number(optimizer.get('hybridSearchSemanticRatio')),
    distanceThreshold: Number(optimizer.get('semanticDistanceThreshold')),
  };
}

function asksForEmbeddings(optimizer: Tracked<Optimizer>): boolean {
  return (
    (optimizer.peek('embeddingService') ?? '') !== '' ||
    optimizer.peek('embeddingProvider') === 'openai' ||
    optimizer.peek('embeddingModel') !== undefined ||
    optimizer.peek('embeddingHeaders') !== undefined
  );
}
