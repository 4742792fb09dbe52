import type { GatewayRule } from './rule.ts';

export type { GatewayRule } from './rule.ts';

/** Every rule about a gateway as a whole, in the order in which its findings are easiest to read. */
export const GATEWAY_RULES: readonly GatewayRule[] = [];
