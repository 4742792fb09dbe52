import type { CallSite } from './origins.ts';

/** A part of a manifest or configuration, with the call sites of its values. Pointers are relative to the part. */
export interface RenderedPart {
  readonly value: object;
  readonly origins: readonly { readonly pointer: string; readonly callSite: CallSite }[];
}
