import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** Judges a gateway as a whole, with its plan and what the tool lock says. */
export type GatewayRule = (gateway: GatewayModel) => Diagnostic[];
