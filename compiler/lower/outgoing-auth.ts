/** Which credential goes to which backend. Today's runtime sends none: whatever needs one is refused by name. */
import type { ExternalAuthConfigRef, GatewayConfig, MCPExternalAuthConfigSpec, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { LoweringContext } from './context.ts';
import type { Tracked } from './tracked.ts';

export interface OutgoingAuth {
  /** `inline`: the backends of the spec and of the group; `discovered`: those of the group alone. */
  readonly source: 'inline' | 'discovered';
}

export function lowerOutgoingAuth(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): OutgoingAuth {
  const chosen = spec.child('outgoingAuth');
  if (chosen !== undefined) {
    config?.ignore('outgoingAuth', 'spec.outgoingAuth takes precedence');
    for (const auth of [chosen.child('default'), ...chosen.entries('backends').map(([, entry]) => entry)]) {
      if (auth === undefined) continue;
      if (auth.get('type') === 'externalAuthConfigRef') refuseCredential(context, gateway, auth);
      else auth.ignore('externalAuthConfigRef', 'type is discovered');
    }
    return { source: chosen.get('source') ?? 'discovered' };
  }
  const fallback = config?.child('outgoingAuth');
  if (fallback === undefined) return { source: 'discovered' };
  for (const strategy of [fallback.child('default'), ...fallback.entries('backends').map(([, entry]) => entry)]) {
    if (strategy === undefined) continue;
    if (strategy.peek('type') === 'unauthenticated') {
      strategy.get('type');
      strategy.ignoreRest('type is unauthenticated');
    } else {
      strategy.unsupported('type', `outgoing authentication by ${strategy.peek('type')}`);
      strategy.readRest();
    }
  }
  return { source: fallback.get('source') };
}

/**
 * Reads a reference to an MCPExternalAuthConfig and refuses it unless it asks for no credential. The reference itself was
 * resolved before; one that leads nowhere is reported there.
 */
export function refuseCredential(
  context: LoweringContext,
  referrer: Resource,
  holder: Tracked<{ readonly externalAuthConfigRef?: ExternalAuthConfigRef }>,
): void {
  const name = holder.peek('externalAuthConfigRef')?.name;
  if (name === undefined) return;
  const config = context.inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', referrer.namespace, name);
  if (config === undefined || config.spec.type === 'unauthenticated') holder.get('externalAuthConfigRef');
  else holder.unsupported('externalAuthConfigRef', `outgoing authentication by ${config.spec.type}`);
}
