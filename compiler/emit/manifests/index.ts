/** The Kubernetes objects that run a bundle, and the files that contain them. */
export { listDestinations } from './destinations.ts';
export { resolveEgress } from './egress.ts';
export { buildEmbeddingManifests } from './embedding/embedding-manifests.ts';
export { generateManifests } from './generate-manifests.ts';
export type { Manifest, ManifestFields } from './manifest.ts';
export { buildKustomizationFile, listManifestFiles } from './manifest-files.ts';
export { createForeignPod, mergeEmbeddingPod, mergeGatewayPod } from './merged-pod.ts';
export type { ManifestSettings } from './settings.ts';
