import type { StructuralSchema } from '#schemas';

/** For fields that Kubernetes writes itself, and for the name and namespace, which were checked when the document was classified. */
const ANY: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

const TEXTS: StructuralSchema = { type: 'object', nullable: true, additionalProperties: { type: 'string' } };

/**
 * `metadata` of any object. Unknown fields are refused: a misspelt `namespace` would put the object into the default one.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
export const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: {
    name: ANY,
    namespace: ANY,
    labels: TEXTS,
    annotations: TEXTS,
    generateName: ANY,
    finalizers: ANY,
    ownerReferences: ANY,
    creationTimestamp: ANY,
    deletionGracePeriodSeconds: ANY,
    deletionTimestamp: ANY,
    generation: ANY,
    managedFields: ANY,
    resourceVersion: ANY,
    selfLink: ANY,
    uid: ANY,
  },
};
