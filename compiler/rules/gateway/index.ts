import { capturedPermits } from './captured-permits.ts';
import { destructivePermits } from './destructive-permits.ts';
import { policyNames } from './policy-names.ts';
import { policyOverlap } from './policy-overlap.ts';
import { policyValidation } from './policy-validation.ts';
import type { GatewayRule } from './rule.ts';

export type { GatewayRule } from './rule.ts';

/** Every rule about a gateway as a whole, in the order in which its findings are easiest to read. */
export const GATEWAY_RULES: readonly GatewayRule[] = [
  // Who may do what.
  policyValidation,
  policyNames,
  policyOverlap,
  capturedPermits,
  destructivePermits,
];
