import type { Given } from '../origins.ts';
import type { PathOf } from './server-file.ts';

/** A part of the configuration, and where its values were given; pointers from the part. */
export interface RenderedPart {
  readonly value: object;
  readonly origins: readonly { readonly pointer: string; readonly given: Given }[];
}

/** What is written once it is known where files are. */
export interface RegistryPart {
  render(pathOf: PathOf): RenderedPart;
}
