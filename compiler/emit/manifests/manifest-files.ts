/** Manifests as files in a repository, for tools that apply a folder. */
import { compareText, OBJECT_KIND, type WorkloadKind } from '#schemas';
import { formatYaml, formatYamlStream } from '../../source/format-yaml.ts';
import { KUSTOMIZATION_FILE, MANIFEST_HEADER } from '../../source/written-output.ts';
import type { OutputFile } from '../bundle-files.ts';
import type { Manifest } from './manifest.ts';

export interface WorkloadManifests {
  readonly kind: WorkloadKind | 'embedding';
  readonly namespace: string;
  readonly name: string;
  readonly manifests: readonly Manifest[];
}

const KINDS: Readonly<Record<WorkloadManifests['kind'], string>> = { ...OBJECT_KIND, embedding: 'EmbeddingServer' };

/** One file for each gateway, server and registry server that has manifests. */
export function listManifestFiles(workloads: readonly WorkloadManifests[]): readonly OutputFile[] {
  return workloads
    .filter(({ manifests }) => manifests.length > 0)
    .map(({ kind, namespace, name, manifests }) => ({
      path: `${namespace}/${kind}-${name}.yaml`,
      text: `${MANIFEST_HEADER} for ${KINDS[kind]} ${namespace}/${name}: change that, and build again.\n${formatYamlStream(manifests, 'manifest')}`,
    }));
}

/** @param paths of the manifests that the kustomization lists, relative to the kustomization's folder */
export function buildKustomizationFile(paths: readonly string[]): OutputFile {
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...paths].sort(compareText),
  };
  return { path: KUSTOMIZATION_FILE, text: `${MANIFEST_HEADER}.\n${formatYaml(kustomization, 'manifest')}` };
}
