import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** A rule about a whole gateway, with its plan and the tool lock. */
export type GatewayRule = (gateway: GatewayModel) => Diagnostic[];
