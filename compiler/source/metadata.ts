import { getMember, isObject } from '#schemas';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { locateValue } from './locate-finding.ts';
import { reportMissingIdentity } from './missing-identity.ts';
import type { Path, SourceDocument } from './source-document.ts';

/** The identity of an object besides its kind, or the errors in it. */
export type Metadata =
  | { readonly namespace: string; readonly name: string }
  /** `refused`: the name in a form that references may use, although Kubernetes refuses it. */
  | {
      readonly diagnostics: readonly Diagnostic[];
      readonly refused?: { readonly namespace: string; readonly name: string };
    };

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const MAX_NAME = 253;
const MAX_NAMESPACE = 63;

/**
 * Parses `metadata.name` and `metadata.namespace`; LNT1019 reports names that Kubernetes would refuse.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export function readMetadata(document: SourceDocument, defaultNamespace: string): Metadata {
  const diagnostics: Diagnostic[] = [];
  const refuse = (path: Path, message: string): void => {
    diagnostics.push(createDiagnostic('LNT1019', locateValue(document, path), message));
  };
  const lack = (path: Path, message: string): void => {
    diagnostics.push(reportMissingIdentity(document, 'LNT1019', path, message));
  };
  const metadata = getMember(document.value, 'metadata');
  if (metadata === undefined || metadata === null) lack(['metadata'], 'the object has no metadata');
  else if (!isObject(metadata)) refuse(['metadata'], 'metadata must be a mapping');
  if (!isObject(metadata)) return { diagnostics };

  const name = getMember(metadata, 'name');
  if (name === undefined || name === null) lack(['metadata', 'name'], 'the object has no metadata.name');
  const badName = findNameProblem(name);
  if (badName) refuse(['metadata', 'name'], badName);
  const namespace = getMember(metadata, 'namespace') ?? defaultNamespace;
  const badNamespace = findNamespaceProblem(namespace);
  if (badNamespace) refuse(['metadata', 'namespace'], badNamespace);
  if (diagnostics.length === 0) return { namespace: namespace as string, name: name as string };
  const isReadable = typeof name === 'string' && typeof namespace === 'string';
  return { diagnostics, ...(isReadable && { refused: { namespace, name } }) };
}

/** Whether Kubernetes accepts the name for most kinds (DNS subdomain of RFC 1123). */
export function isObjectName(name: string): boolean {
  return name.length <= MAX_NAME && DNS_SUBDOMAIN.test(name);
}

/** Whether Kubernetes accepts the name for a namespace (DNS label of RFC 1123). */
export function isNamespaceName(name: string): boolean {
  return name.length <= MAX_NAMESPACE && DNS_LABEL.test(name);
}

function findNameProblem(name: unknown): string | undefined {
  if (name === undefined || name === null) return undefined;
  if (typeof name !== 'string') return 'metadata.name must be a string; quote it';
  if (name.length > MAX_NAME) return `metadata.name is longer than ${MAX_NAME} characters`;
  if (DNS_SUBDOMAIN.test(name)) return undefined;
  return 'metadata.name may hold only lower-case letters, digits, "-" and ".", and starts and ends with a letter or digit';
}

function findNamespaceProblem(namespace: unknown): string | undefined {
  if (typeof namespace !== 'string') return 'metadata.namespace must be a string; quote it';
  if (namespace.length > MAX_NAMESPACE) return `metadata.namespace is longer than ${MAX_NAMESPACE} characters`;
  if (DNS_LABEL.test(namespace)) return undefined;
  return 'metadata.namespace may hold only lower-case letters, digits and "-", and starts and ends with a letter or digit';
}
