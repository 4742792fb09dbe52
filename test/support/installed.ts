/** The objects that `kubectl apply -k controller/install` installs, built as kustomize does. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from './process.ts';

export interface Installed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [member: string]: unknown;
}

interface Kustomization {
  readonly namespace?: string;
  readonly resources: readonly string[];
}

const CLUSTER_WIDE = ['ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition', 'Namespace'];

/**
 * @param folder below `controller/install`
 * @throws Error for a file outside its folder, which kustomize refuses
 */
export function installed(folder = ''): readonly Installed[] {
  return objectsOf(join(ROOT, 'controller', 'install', folder));
}

function objectsOf(folder: string): readonly Installed[] {
  const { namespace, resources } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const found = resources.flatMap(resource => {
    const path = join(folder, resource);
    if (statSync(path).isDirectory()) return objectsOf(path);
    if (resource.includes('..')) throw new Error(`${folder}: kustomize takes no file from outside, as ${resource} is`);
    return parseAllDocuments(readFileSync(path, 'utf8')).map(document => document.toJS() as Installed);
  });
  return found.map(object =>
    namespace === undefined || CLUSTER_WIDE.includes(object.kind)
      ? object
      : { ...object, metadata: { namespace, ...object.metadata } },
  );
}
