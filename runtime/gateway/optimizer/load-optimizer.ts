import type { GatewayBundle } from '#schemas';
import type { OptimizerOptions } from './open-optimizer.ts';
import type { Optimizer } from './optimizer.ts';

/**
 * Loads the optimizer of a bundle. A bundle without one loads none of its code.
 * @param previous the optimizer of the previous bundle
 */
export async function loadOptimizer(
  bundle: GatewayBundle,
  options: OptimizerOptions,
  previous?: Optimizer,
): Promise<Optimizer | undefined> {
  if (bundle.optimizer === undefined) return undefined;
  const { openOptimizer } = await import('./open-optimizer.ts');
  return openOptimizer(bundle, options, previous);
}
