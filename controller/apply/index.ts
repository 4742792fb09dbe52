/** The cluster as a destination, and how an object names its source. */
export { createClusterDestination } from './cluster-destination.ts';
export { isOurChange, trimForCache } from './drift.ts';
export { OWNABLE_KINDS } from './owner.ts';
export { readAnnotation, SOURCE_ANNOTATION, SOURCE_LABEL, type SourceIdentity } from './source-labels.ts';
