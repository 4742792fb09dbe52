import { getMember, isObject } from '#schemas';
import type { SourceDocument } from '../source/source-document.ts';

/** A Kubernetes object of the sources. */
export interface ExportedObject {
  readonly document: SourceDocument;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The namespace in the document; undefined if it has none. */
  readonly namespace: string | undefined;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The object in a document. Undefined for a document that no construct could represent: it is not an object or has no name, such as a kustomization.
 */
export function toExportedObject(document: SourceDocument): ExportedObject | undefined {
  const { value } = document;
  if (!isObject(value)) return undefined;
  const { apiVersion, kind } = value;
  const metadata = getMember(value, 'metadata');
  const name = getMember(metadata, 'name');
  const namespace = getMember(metadata, 'namespace') ?? undefined;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined;
  if (name === '' || (namespace !== undefined && typeof namespace !== 'string')) return undefined;
  return { document, apiVersion, kind, name, namespace: namespace === '' ? undefined : namespace, value };
}
