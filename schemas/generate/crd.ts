/** CustomResourceDefinitions (`apiextensions.k8s.io/v1`) with structural schemas, as YAML. */
import { stringify } from 'yaml';
import type { KindDefinition } from '../kinds/define.ts';
import { API_GROUP, DEPRECATED_VERSION, STORAGE_VERSION } from '../names.ts';
import { GENERATED } from './header.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';

/** A CRD or a part of it, as a plain object. */
export type CrdNode = { readonly [key: string]: unknown };

/** Descriptions of the object's own fields, the same in every CRD. */
const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const API_VERSION_FIELD: CrdNode = {
  description: `The API group and version in which the object is written. More: ${CONVENTIONS}#resources`,
  type: 'string',
};
const KIND_FIELD: CrdNode = {
  description: `The name of the resource type, in CamelCase; it cannot change. More: ${CONVENTIONS}#types-kinds`,
  type: 'string',
};

/** Keywords that are left out of CRDs. */
const HIDDEN: readonly string[] = ['title', 'deprecated', 'examples'];

/** The CRD of one kind. @throws Error naming the field when a schema is not structural */
export function buildCrd(kind: KindDefinition): CrdNode {
  const openAPIV3Schema = {
    description: kind.description,
    type: 'object',
    properties: {
      apiVersion: API_VERSION_FIELD,
      kind: KIND_FIELD,
      metadata: { type: 'object' },
      spec: toCrdSchema(toStructural(kind.spec, `${kind.kind}.spec`)),
      status: toCrdSchema(toStructural(kind.status, `${kind.kind}.status`)),
    },
    ...(kind.specRequired ? { required: ['spec'] } : {}),
  };
  const version = (name: string, flags: CrdNode): CrdNode => ({
    name,
    ...flags,
    additionalPrinterColumns: kind.printerColumns.map(column => ({ ...column })),
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: [...kind.shortNames],
        categories: ['lintel'],
      },
      scope: 'Namespaced',
      versions: [
        version(STORAGE_VERSION, { served: true, storage: true }),
        version(DEPRECATED_VERSION, {
          served: true,
          storage: false,
          deprecated: true,
          deprecationWarning: `${API_GROUP}/${DEPRECATED_VERSION} ${kind.kind} is deprecated; use ${API_GROUP}/${STORAGE_VERSION}`,
        }),
      ],
    },
  };
}

/** File name of a kind's CRD. */
export function formatCrdFileName(kind: KindDefinition): string {
  return `${API_GROUP}_${kind.plural}.yaml`;
}

/** The CRD as YAML: always the same bytes for the same kind, and with the same meaning in YAML 1.1 (kubectl) and 1.2. */
export function formatCrdYaml(kind: KindDefinition): string {
  const body = stringify(buildCrd(kind), { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  return `# ${GENERATED}\n---\n${body}`;
}

/** One field as OpenAPI v3 in the form that the API server accepts. */
export function toCrdSchema(schema: StructuralSchema): CrdNode {
  const out: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (HIDDEN.includes(keyword) || keyword.startsWith('x-lintel-')) continue;
    if (keyword.startsWith('exclusive')) continue;
    out[keyword] = value;
  }
  Object.assign(out, lowerBound(schema), findUpperBound(schema));
  if (schema.items) out.items = toCrdSchema(schema.items);
  if (schema.additionalProperties) out.additionalProperties = toCrdSchema(schema.additionalProperties);
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, toCrdSchema(child)]),
    );
  }
  return out;
}

/** OpenAPI v3.0 writes an exclusive bound as the bound and a flag; of two bounds, the tighter one is written. */
function lowerBound({ minimum, exclusiveMinimum }: StructuralSchema): CrdNode {
  if (exclusiveMinimum === undefined || (minimum !== undefined && minimum > exclusiveMinimum)) return {};
  return { minimum: exclusiveMinimum, exclusiveMinimum: true };
}

function findUpperBound({ maximum, exclusiveMaximum }: StructuralSchema): CrdNode {
  if (exclusiveMaximum === undefined || (maximum !== undefined && maximum < exclusiveMaximum)) return {};
  return { maximum: exclusiveMaximum, exclusiveMaximum: true };
}

/** Name of the file by which kustomize takes all CRDs of the folder. */
export const KUSTOMIZATION_FILE = 'kustomization.yaml';

/** A kustomization of all CRDs: kustomize refuses single files outside its own folder, but takes a folder. */
export function formatCrdKustomization(kinds: readonly KindDefinition[]): string {
  const resources = kinds.map(formatCrdFileName).sort();
  const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources };
  return `# ${GENERATED}\n---\n${stringify(kustomization, { lineWidth: 0 })}`;
}
