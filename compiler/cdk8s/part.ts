import type { Construct } from 'constructs';
import type { VirtualMCPServerSpec } from '#schemas';
import type { CallSite } from './origins.ts';

/** A part of a gateway's spec that a construct of its own describes, such as session storage or telemetry. */
export interface GatewayPart {
  /** Asked once, by the constructor of the gateway: objects of its own go below `gateway`. */
  bind(gateway: Construct & { readonly name: string; readonly namespace: string | undefined }): BoundPart;
}

export interface BoundPart {
  readonly spec: Partial<VirtualMCPServerSpec>;
  /** Pointers from the root of the VirtualMCPServer. */
  readonly origins?: readonly { readonly pointer: string; readonly given: CallSite }[];
}
