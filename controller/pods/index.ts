/** The state of pods: whether they serve, what they run, and why one fails. */
export { type ContainerStatus, isReady, type Pod, type PodStatus, trimPodForCache } from './pod.ts';
export { findPodFailure, type PodFailure } from './pod-failure.ts';
export { PodReader, type PodReaderOptions, type PodSelector } from './pod-reader.ts';
export type { PodBackend, PodReport } from './report.ts';
