import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { refusedGatewayPod } from '../refused-pods.ts';

/** The API server takes the pod of the gateway with its pod template merged over it. */
export function refusedPod({ resource, plan }: GatewayModel): Diagnostic[] {
  return refusedGatewayPod(resource, plan);
}
