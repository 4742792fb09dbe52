import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** A rule about a whole gateway, with its plan and the tool lock. */
export type GatewayRule = (gateway: GatewayModel) => Diagnostic[];

/** Parts of the spec of a gateway that most rules about whole gateways do not read. `areas.ts` has their fields. */
export const AREAS = ['sign-in', 'credentials', 'operation', 'pods'] as const;

export type Area = (typeof AREAS)[number];
