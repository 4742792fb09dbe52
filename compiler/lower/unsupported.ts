import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import type { Tracked } from './tracked.ts';

/**
 * Refuses the features that the runtime has nothing for. A setting that switches a feature off, or that says what happens
 * anyway, is honoured; leaving one out in silence could serve more than was reviewed.
 */
export function refuseUnsupported(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): void {
  spec.unsupported('authServerConfig', 'the embedded authorization server');
  spec.unsupported('embeddingServerRef', 'the optimizer');
  spec.unsupported('telemetryConfigRef', 'telemetry');
  refuseSharedSessions(spec, config);
  if (config === undefined) return;
  config.unsupported('compositeTools', 'composite tools');
  config.unsupported('compositeToolRefs', 'composite tools');
  config.unsupported('optimizer', 'the optimizer');
  config.unsupported('rateLimiting', 'rate limiting');
  config.unsupported('telemetry', 'telemetry');
  refuseWhenEnabled(config.child('audit'), 'audit logging');
  refuseWhenEnabled(config.child('codeMode'), 'code mode');
}

function refuseSharedSessions(spec: Tracked<VirtualMCPServerSpec>, config: Tracked<GatewayConfig> | undefined): void {
  const chosen = spec.child('sessionStorage');
  if (chosen !== undefined) config?.ignore('sessionStorage', 'spec.sessionStorage takes precedence');
  const storage = chosen ?? config?.child('sessionStorage');
  if (storage === undefined) return;
  if (storage.peek('provider') === 'redis') {
    storage.refuse('session storage in Redis');
    return;
  }
  storage.get('provider');
  storage.ignoreRest('sessions are kept in memory');
}

/** A block with a switch of its own: off is honoured, and then the rest of the block has no effect. */
function refuseWhenEnabled<T extends { readonly enabled?: boolean }>(
  block: Tracked<T> | undefined,
  feature: string,
): void {
  if (block === undefined) return;
  if (block.peek('enabled') === true) {
    block.refuse(feature);
    return;
  }
  block.get('enabled');
  block.ignoreRest('enabled is not true');
}
