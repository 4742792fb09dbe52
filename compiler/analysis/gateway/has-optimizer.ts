import type { GatewayModel } from './model.ts';

/** Whether the gateway has the optimizer: clients then see two tools, which find and call the others. */
export function hasOptimizer({ resource: { spec } }: Pick<GatewayModel, 'resource'>): boolean {
  return spec.config?.optimizer !== undefined || spec.embeddingServerRef !== undefined;
}
