import type { GatewayConfig } from '#schemas';
import type { Tracked } from '../resolve/tracked.ts';
import { refuseWhenEnabled } from './switches.ts';

/**
 * Refuses the features that the runtime has nothing for. A setting that switches a feature off, or that says what happens
 * anyway, is honoured; leaving one out in silence could serve more than was reviewed.
 */
export function refuseUnsupported(config: Tracked<GatewayConfig> | undefined): void {
  if (config === undefined) return;
  refuseWhenEnabled(config.child('codeMode'), 'code mode');
}
