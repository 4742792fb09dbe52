/** The API server's rules for single built-in types that a controller may meet. */
import type { Cause } from './api-error.ts';
import { isEqual, isObject, type JsonObject } from './json.ts';
import type { ResourceType } from './resource-types.ts';

/** Types without a generation, because they have no desired state. */
const WITHOUT_GENERATION = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'Event',
  'HorizontalPodAutoscaler',
  'Lease',
  'Namespace',
  'PersistentVolumeClaim',
  'Role',
  'RoleBinding',
  'Secret',
  'Service',
  'ServiceAccount',
]);

export const hasGeneration = ({ kind, structural }: ResourceType): boolean =>
  structural !== undefined || !WITHOUT_GENERATION.has(kind);

/** Whether an update may omit the version that it was made from. */
export const takesAnyVersion = ({ kind, structural }: ResourceType): boolean =>
  structural === undefined && !['CustomResourceDefinition', 'Lease', 'PodDisruptionBudget'].includes(kind);

/** Whether an object remains for a while after its deletion, as only pods that are assigned to a node do. */
export const isGraceful = (object: JsonObject): boolean =>
  object.kind === 'Pod' &&
  isObject(object.spec) &&
  typeof object.spec.nodeName === 'string' &&
  object.spec.nodeName !== '';

export function initialStatus({ kind, structural }: ResourceType): JsonObject | undefined {
  if (structural !== undefined) return undefined;
  switch (kind) {
    case 'Namespace':
      return { phase: 'Active' };
    case 'Pod':
      return { phase: 'Pending' };
    case 'Service':
      return { loadBalancer: {} };
    default:
      return {};
  }
}

/** Parts that built-in types always have: in Go they are not pointers. */
const ALWAYS_THERE: JsonObject = {
  spec: { strategy: {}, template: { metadata: {}, spec: {} }, updateStrategy: {} },
  status: { loadBalancer: {} },
};

export const emptyObject = ({ structural }: ResourceType): JsonObject => (structural === undefined ? ALWAYS_THERE : {});

/** The errors of a write that adds finalizers to an object that is being deleted: such an object can only lose them. */
export function finalizerCauses(live: JsonObject, next: JsonObject): Cause[] {
  const before = live.metadata as JsonObject;
  if (before.deletionTimestamp === undefined) return [];
  const held = (before.finalizers ?? []) as readonly string[];
  const wanted = ((next.metadata as JsonObject).finalizers ?? []) as readonly string[];
  const added = wanted.filter(finalizer => !held.includes(finalizer));
  if (added.length === 0) return [];
  const list = `[]string{${added.map(finalizer => JSON.stringify(finalizer)).join(', ')}}`;
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [{ reason: 'FieldValueForbidden', message, field: 'metadata.finalizers' }];
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** The errors of invalid names and labels. */
export function nameCauses({ group, kind }: ResourceType, object: JsonObject): Cause[] {
  const metadata = object.metadata as { readonly name: string; readonly labels?: { readonly [name: string]: string } };
  const { name, labels = {} } = metadata;
  if (name === '') {
    return [
      {
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
        field: 'metadata.name',
      },
    ];
  }
  const causes: Cause[] = [];
  const invalid = (field: string, value: string, why: string) =>
    causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field });
  if (group === 'rbac.authorization.k8s.io') {
    if (/[/%]/.test(name)) invalid('metadata.name', name, "may not contain '/'");
  } else if (group === '' && kind === 'Service') {
    if (!LABEL_1035.test(name) || name.length > 63) invalid('metadata.name', name, DNS_1035);
  } else if (group === '' && kind === 'Namespace') {
    if (!LABEL.test(name) || name.length > 63) invalid('metadata.name', name, DNS_1123_LABEL);
  } else if (!SUBDOMAIN.test(name) || name.length > 253) {
    invalid('metadata.name', name, DNS_1123_SUBDOMAIN);
  }
  for (const value of Object.values(labels)) {
    if (value.length > 63) invalid('metadata.labels', value, 'must be no more than 63 bytes');
    else if (!LABEL_VALUE.test(value)) invalid('metadata.labels', value, LABEL_RULE);
  }
  return causes;
}

const DNS_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Limit on the data of a ConfigMap or Secret; bytes. */
const MAX_DATA_BYTES = 1024 * 1024;

export function checkRules({ kind, group }: ResourceType, live: JsonObject | undefined, next: JsonObject): Cause[] {
  if (group === '' && (kind === 'ConfigMap' || kind === 'Secret')) {
    return [...sizeCauses(kind, next), ...(live?.immutable === true ? immutableCauses(live, next) : [])];
  }
  if (group === 'apps' && live !== undefined) {
    const selector = (object: JsonObject) => (object.spec as JsonObject | undefined)?.selector;
    if (!isEqual(selector(live), selector(next))) {
      const message = `Invalid value: ${JSON.stringify(selector(next))}: field is immutable`;
      return [{ reason: 'FieldValueInvalid', message, field: 'spec.selector' }];
    }
  }
  return [];
}

function sizeCauses(kind: string, { data, binaryData }: JsonObject): Cause[] {
  const texts = Object.values((data ?? {}) as { readonly [name: string]: string });
  const encoded = Object.values((binaryData ?? {}) as { readonly [name: string]: string });
  const size = (value: string) => Buffer.byteLength(value, 'base64');
  const total =
    texts.reduce((sum, text) => sum + (kind === 'Secret' ? size(text) : Buffer.byteLength(text)), 0) +
    encoded.reduce((sum, text) => sum + size(text), 0);
  if (total <= MAX_DATA_BYTES) return [];
  const field = kind === 'Secret' ? 'data' : '[]';
  return [{ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${MAX_DATA_BYTES} bytes`, field }];
}

function immutableCauses(live: JsonObject, next: JsonObject): Cause[] {
  const causes: Cause[] = [];
  const forbidden = (field: string) =>
    causes.push({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: field is immutable when `immutable` is set',
      field,
    });
  if (next.immutable !== true) forbidden('immutable');
  for (const field of ['data', 'binaryData']) {
    if (!isEqual(live[field] ?? {}, next[field] ?? {})) forbidden(field);
  }
  return causes;
}
