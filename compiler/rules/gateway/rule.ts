import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { GatewayModel } from '../../gateway/model.ts';

/** Judges a gateway as a whole, with its plan and what the tool lock says. */
export type GatewayRule = (gateway: GatewayModel) => Diagnostic[];
