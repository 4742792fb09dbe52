import type { Construct } from 'constructs';
import type { VirtualMCPServerSpec } from '#schemas';
import type { CallSite } from './origins.ts';

/** A part of a gateway's spec with a construct of its own, such as session storage or telemetry. */
export interface GatewayPart {
  /** Called once, by the constructor of the gateway; objects that it creates go below `gateway` in the tree. */
  bind(gateway: Construct & { readonly name: string; readonly namespace: string | undefined }): BoundPart;
}

export interface BoundPart {
  readonly spec: Partial<VirtualMCPServerSpec>;
  /** Pointers from the root of the VirtualMCPServer. */
  readonly origins?: readonly { readonly pointer: string; readonly callSite: CallSite }[];
}
