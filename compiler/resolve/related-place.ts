import type { RelatedPlace } from '../diagnostics/diagnostic.ts';
import { relatedIn } from '../source/place-in.ts';
import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

/** A part of an object. */
export interface Spot {
  readonly resource: Resource;
  readonly path: Path;
}

/** A second place of a finding, in the same object or in another one. */
export function relatedPlace(message: string, { resource, path }: Spot): RelatedPlace {
  return relatedIn(message, resource.document.doc, path);
}
