/** The Kubernetes objects that run a bundle, and the files that contain them. */
export { listDestinations } from './destinations.ts';
export { resolveEgress } from './egress.ts';
export { embeddingManifests } from './embedding/embedding-manifests.ts';
export { generateManifests } from './generate-manifests.ts';
export type { Manifest, ManifestFields } from './manifest.ts';
export { KUSTOMIZATION_FILE, kustomizationFile, MANIFEST_HEADER, manifestFiles } from './manifest-files.ts';
export { createForeignPod, mergedPod, podOfEmbeddingServer } from './merged-pod.ts';
export type { ManifestSettings } from './settings.ts';
