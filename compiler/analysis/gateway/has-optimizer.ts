import type { GatewayModel } from './model.ts';

/** With the optimizer, clients see two tools that find and call the others. */
export function hasOptimizer({ resource: { spec } }: Pick<GatewayModel, 'resource'>): boolean {
  return spec.config?.optimizer !== undefined || spec.embeddingServerRef !== undefined;
}
