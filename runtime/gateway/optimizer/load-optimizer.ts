import type { GatewayBundle } from '#schemas';
import type { OptimizerOptions } from './open-optimizer.ts';
import type { Optimizer } from './optimizer.ts';

/** The optimizer of a bundle. Nothing of it is loaded for a bundle without one. @param earlier of the bundle before */
export async function loadOptimizer(
  bundle: GatewayBundle,
  options: OptimizerOptions,
  earlier?: Optimizer,
): Promise<Optimizer | undefined> {
  if (bundle.optimizer === undefined) return undefined;
  const { openOptimizer } = await import('./open-optimizer.ts');
  return openOptimizer(bundle, options, earlier);
}
