import type { GatewayConfig, IncomingAuthPlan, VirtualMCPServerSpec } from '#schemas';
import type { Tracked } from './tracked.ts';

/** Who may connect. Whatever is not understood here is refused: a gateway must not open wider than its spec says. */
export function lowerIncomingAuth(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): IncomingAuthPlan {
  config?.ignore('incomingAuth', 'spec.incomingAuth takes precedence');
  const incoming = spec.child('incomingAuth');
  if (incoming === undefined) return { type: 'anonymous' };
  if (incoming.peek('type') === 'oidc') {
    incoming.unsupported('type', 'authentication of callers by OIDC');
    incoming.get('oidcConfigRef');
  } else {
    incoming.get('type');
    incoming.ignore('oidcConfigRef', 'incomingAuth.type is anonymous');
  }
  incoming.unsupported('authzConfig', 'authorization by policies');
  incoming.unsupported('authzConfigRef', 'authorization by policies');
  return { type: 'anonymous' };
}
