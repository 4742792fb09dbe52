/**
 * Writes `generated/types.json`: the built-in types of the test double, with the shape of their objects as far as server-side apply needs it,
 * taken from the OpenAPI document of a real API server.
 *
 * `KUBEBUILDER_ASSETS=folder node --conditions=lintel-source test/support/kube-api/generate-types.ts`
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRealApi } from './real.ts';
import type { Shape } from './shape.ts';

/** The plural names of the types to write, by group and version; others are left out. */
const WANTED: { readonly [groupVersion: string]: readonly string[] } = {
  v1: [
    'configmaps',
    'events',
    'namespaces',
    'persistentvolumeclaims',
    'pods',
    'secrets',
    'serviceaccounts',
    'services',
  ],
  'apiextensions.k8s.io/v1': ['customresourcedefinitions'],
  'apps/v1': ['deployments', 'replicasets', 'statefulsets'],
  'autoscaling/v2': ['horizontalpodautoscalers'],
  'coordination.k8s.io/v1': ['leases'],
  'events.k8s.io/v1': ['events'],
  'networking.k8s.io/v1': ['networkpolicies'],
  'policy/v1': ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io/v1': ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
};

interface OpenApi {
  readonly paths: {
    readonly [path: string]: { readonly post?: { readonly 'x-kubernetes-group-version-kind': { kind: string } } };
  };
  readonly definitions: { readonly [name: string]: Schema };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

await using api = await startRealApi();
const answer = await api.request('GET', '/openapi/v2');
const { paths, definitions } = answer.body as unknown as OpenApi;
const needed = new Set(['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']);

const types = Object.entries(WANTED).flatMap(([groupVersion, plurals]) =>
  plurals.map(plural => {
    const base = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    const namespaced = paths[`${base}/namespaces/{namespace}/${plural}`] !== undefined;
    const collection = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
    const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
    const kind = paths[collection]?.post?.['x-kubernetes-group-version-kind'].kind;
    if (kind === undefined) throw new Error(`nothing can be created under ${collection}`);
    const definition = Object.entries(definitions).find(([, schema]) =>
      schema['x-kubernetes-group-version-kind']?.some(
        one => one.group === group && one.version === version && one.kind === kind,
      ),
    )?.[0];
    if (definition === undefined) throw new Error(`no definition of ${groupVersion} ${kind}`);
    needed.add(definition);
    return {
      group,
      version,
      kind,
      plural,
      namespaced,
      hasStatus: paths[`${collection}/{name}/status`] !== undefined,
      definition,
    };
  }),
);

const shapes: { [name: string]: Shape } = {};
for (const name of needed) {
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`no definition ${name}`);
  shapes[name] = shapeOf(definition);
}
const text = JSON.stringify({ types, shapes: Object.fromEntries(Object.entries(shapes).sort()) });
await writeFile(
  join(import.meta.dirname, 'generated', 'types.json'),
  `${text.replaceAll(/(?<=[}\]]),"io\./g, ',\n"io.')}\n`,
);

function shapeOf(schema: Schema): Shape {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice('#/definitions/'.length);
    const target = definitions[name];
    // Scalars with names of their own, such as Time and IntOrString.
    if (target !== undefined && target.properties === undefined && target.type !== 'object') return shapeOf(target);
    needed.add(name);
    return { ref: name, ...(schema['x-kubernetes-map-type'] === 'atomic' && { atomic: true }) };
  }
  switch (schema.type) {
    case 'array': {
      const items = shapeOf(schema.items ?? {});
      const keys = schema['x-kubernetes-list-map-keys'];
      if (schema['x-kubernetes-list-type'] === 'set') return { items, set: true };
      if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined) return { items };
      const item =
        schema.items?.$ref === undefined ? schema.items : definitions[schema.items.$ref.slice('#/definitions/'.length)];
      const defaults = keys.flatMap(key => {
        const value = item?.properties?.[key]?.default;
        return value === undefined || value === '' ? [] : [[key, value as string] as const];
      });
      return { items, keys, ...(defaults.length > 0 && { keyDefaults: Object.fromEntries(defaults) }) };
    }
    case 'object':
      if (schema.properties === undefined && schema.additionalProperties === undefined) return 'any';
      return {
        fields: Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, field]) => [name, shapeOf(field)]),
        ),
        ...(schema.additionalProperties !== undefined && { rest: shapeOf(schema.additionalProperties) }),
        ...(schema['x-kubernetes-map-type'] === 'atomic' && { atomic: true }),
      };
    case undefined:
      return 'any';
    default:
      return schema.format === 'int-or-string' ? 'int-or-string' : schema.type;
  }
}
