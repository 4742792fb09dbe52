import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkGatewayPod } from '../refused-pods.ts';

/**
 * The API server must accept the gateway's pod, merged with its pod template.
 *
 * @holds VirtualMCPServer | `podTemplateSpec` | merged with the generated pod, it gives a pod that the API server accepts: volumes of mounts,
 *   names, ports, variables, probes, quantities, security, scheduling (for other kinds, as far as the template decides) | -
 * @for gateways, servers
 * @reads sign-in, credentials, operation, pods
 */
export function refusedPod({ resource, plan }: GatewayModel): Diagnostic[] {
  return checkGatewayPod(resource, plan);
}
