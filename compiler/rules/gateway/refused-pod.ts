import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkGatewayPod } from '../refused-pods.ts';

/** The API server must accept the gateway's pod, merged with its pod template. */
export function refusedPod({ resource, plan }: GatewayModel): Diagnostic[] {
  return checkGatewayPod(resource, plan);
}
