import type { GatewayConfig } from '#schemas';
import type { Tracked } from '../resolve/tracked.ts';
import { refuseWhenEnabled } from './switches.ts';

/**
 * Refuses features that the runtime does not support. A setting that disables a feature, or that states the existing behaviour, is accepted;
 * silently ignoring others could serve more than was reviewed.
 */
export function refuseUnsupported(config: Tracked<GatewayConfig> | undefined): void {
  if (config === undefined) return;
  refuseWhenEnabled(config.child('codeMode'), 'code mode');
}
