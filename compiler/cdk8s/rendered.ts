import type { CallSite } from './origins.ts';

/** A part of a manifest or of a configuration, and where its values were given; pointers from the part. */
export interface RenderedPart {
  readonly value: object;
  readonly origins: readonly { readonly pointer: string; readonly given: CallSite }[];
}
