import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { LoweringContext } from './context.ts';
import { refuseWhenEnabled } from './switches.ts';
import { refuseTelemetry } from './telemetry.ts';
import type { Tracked } from './tracked.ts';

/**
 * Refuses the features that the runtime has nothing for. A setting that switches a feature off, or that says what happens
 * anyway, is honoured; leaving one out in silence could serve more than was reviewed.
 */
export function refuseUnsupported(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): void {
  spec.unsupported('authServerConfig', 'the embedded authorization server');
  spec.unsupported('embeddingServerRef', 'the optimizer');
  refuseTelemetry(context, gateway, spec, config);
  if (config === undefined) return;
  config.unsupported('compositeTools', 'composite tools');
  config.unsupported('compositeToolRefs', 'composite tools');
  config.unsupported('optimizer', 'the optimizer');
  refuseWhenEnabled(config.child('codeMode'), 'code mode');
}
