import type { RelatedLocation } from '../diagnostics/diagnostic.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';
import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

/** A part of an object. */
export interface ObjectLocation {
  readonly resource: Resource;
  readonly path: Path;
}

/** A related location of a finding, in the same object or in another one. */
export function toRelatedLocation(message: string, { resource, path }: ObjectLocation): RelatedLocation {
  return createRelatedLocation(message, resource.document.doc, path);
}
