import type { ResourceDocument } from '../source/classify.ts';

/** One object that passed the structural check, or a proxy of one with errors (`markResourceInDoubt`). */
export interface Resource<Spec extends object = object> {
  readonly document: ResourceDocument;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * `spec` as the API server would store it, with defaults; `{}` when absent. For a Secret or ConfigMap, which have no spec, the whole object.
   */
  readonly spec: Spec;
  /** `spec` as it was written. */
  readonly authored: unknown;
}
