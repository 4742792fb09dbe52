/** The cluster as a destination, and how an object names the source that it comes from. */
export { clusterDestination } from './cluster-destination.ts';
export { forCache, isOurChange } from './drift.ts';
export { OWNABLE_KINDS } from './owner.ts';
export { readAnnotation, SOURCE_ANNOTATION, SOURCE_LABEL, type SourceIdentity } from './stamp.ts';
