/**
 * Validates names of objects and their parts as the API server does.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
import { isObjectName } from './metadata.ts';

const MAX_LABEL = 63;
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const NAMES = `letters, digits, "-", "_" and ".", begin and end with a letter or digit, and have at most ${MAX_LABEL} characters`;

/** Describes the form that `isDnsLabel` requires. */
export const DNS_LABEL_FORM = `lower-case letters, digits and "-", at most ${MAX_LABEL}, a letter or digit at both ends`;

/** Maximum total size of all annotations in UTF-8, in bytes. */
const MAX_ANNOTATIONS = 256 * 1024;

/** Whether the name is valid for a part of an object, such as a container (DNS label of RFC 1123). */
export function isDnsLabel(name: string): boolean {
  return name.length <= MAX_LABEL && DNS_LABEL.test(name);
}

/** Why the key of a label or annotation is invalid: it must be a name with an optional domain prefix. */
export function findLabelKeyProblem(key: string): string | undefined {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) return 'has more than one "/"';
  if (parts.length === 2 && !isObjectName(parts[0] ?? '')) return 'has no domain before the "/"';
  if (name.length > MAX_LABEL || !LABEL_NAME.test(name))
    return `is not a name that Kubernetes accepts: it must have only ${NAMES}`;
  return undefined;
}

/** Checks the key of an annotation like {@link findLabelKeyProblem}, but its domain may have capital letters. */
export function findAnnotationKeyProblem(key: string): string | undefined {
  return findLabelKeyProblem(key.includes('/') ? key.replace(/^[^/]*/, domain => domain.toLowerCase()) : key);
}

/** Why the value of a label is invalid. */
export function findLabelValueProblem(value: string): string | undefined {
  if (value === '' || (value.length <= MAX_LABEL && LABEL_NAME.test(value))) return undefined;
  return `the value of a label must be empty, or have only ${NAMES}`;
}

/** Why annotations exceed the total limit. */
export function findAnnotationsProblem(
  annotations: readonly (readonly [key: string, value: string])[],
): string | undefined {
  const size = annotations.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return size > MAX_ANNOTATIONS ? `annotations are larger than ${MAX_ANNOTATIONS / 1024} KiB together` : undefined;
}
