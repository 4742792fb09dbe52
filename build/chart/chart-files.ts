/**
 * The files of the chart. The roles and the definitions are those of `controller/install/`, so that both ways of installing grant the same
 * rights and define the same kinds.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { formatYaml, formatYamlStream } from '../../compiler/source/format-yaml.ts';

interface InstalledObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly subjects?: readonly object[];
}

/** A placeholder for Helm's expression: the YAML writer would quote the expression itself. */
const NAMESPACE = 'RELEASE-NAMESPACE';

/**
 * Uninstalling a Helm release deletes everything in it, and deleting a CustomResourceDefinition deletes every object of its kind. This annotation
 * makes Helm keep the definitions.
 */
const KEEP = { 'helm.sh/resource-policy': 'keep' };

/** @returns texts by path, relative to the folder of the chart */
export function chartFiles(root: string): ReadonlyMap<string, string> {
  const read = (...path: readonly string[]) => readFileSync(join(root, ...path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  const chart = join(root, 'controller', 'chart');
  const files = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(chart.length + 1))
    .filter(path => path !== 'README.md')
    .map(path => [path, read('controller', 'chart', path)] as const);
  const crds = readdirSync(join(root, 'schemas/generated/crd'))
    .filter(name => name.startsWith('lintel.dev_'))
    .map(name => [`crds-of-lintel/${name}`, keptDefinition(read('schemas/generated/crd', name))] as const);
  return new Map([
    ...files,
    ['Chart.yaml', read('controller/chart/Chart.yaml').replace(/^(version|appVersion): .*$/gm, `$1: ${version}`)],
    ['templates/rbac.yaml', inNamespaceOfRelease(read('controller/install/rbac.yaml'))],
    ...crds,
  ]);
}

function keptDefinition(text: string): string {
  const definition = parse(text) as InstalledObject;
  const { metadata } = definition;
  const annotations = { ...metadata.annotations, ...KEEP };
  return formatYaml({ ...definition, metadata: { ...metadata, annotations } });
}

function inNamespaceOfRelease(text: string): string {
  const objects = parseAllDocuments(text).map(document => document.toJS() as InstalledObject);
  const moved = objects.map(object => ({
    ...object,
    metadata: object.kind.startsWith('Cluster') ? object.metadata : { namespace: NAMESPACE, ...object.metadata },
    ...(object.subjects && { subjects: object.subjects.map(subject => ({ ...subject, namespace: NAMESPACE })) }),
  }));
  return formatYamlStream(moved).replaceAll(NAMESPACE, '{{ .Release.Namespace }}');
}
