/** Generates the objects that run an EmbeddingServer in a cluster. */
import { buildEmbeddingServerLabels, EMBEDDING_PORT, formatEmbeddingServerName } from '#schemas';
import { withDefaults } from '../defaults/defaults.ts';
import type { Manifest } from '../manifest.ts';
import { type EmbeddingSpec, type EmbeddingWorkload, MODEL_CACHE } from './embedding-workload.ts';
import { buildEmbeddingPodTemplate } from './pod-template.ts';

const KNOWN = new WeakMap<object, readonly Manifest[]>();

/**
 * The Service and the StatefulSet, in the order of applying, with every default that the API server would set. Both have the object's name. The
 * StatefulSet's template creates the volume claims, which survive its deletion, because models are large. Results are cached by object.
 */
export function buildEmbeddingManifests(server: EmbeddingWorkload): readonly Manifest[] {
  const manifests = KNOWN.get(server) ?? [buildService(server), buildStatefulSet(server)].map(withDefaults);
  KNOWN.set(server, manifests);
  return manifests;
}

function buildService({ namespace, name, spec }: EmbeddingWorkload): Manifest {
  const { annotations, labels } = spec.resourceOverrides?.service ?? {};
  const selector = buildEmbeddingServerLabels(name);
  const port = spec.port ?? EMBEDDING_PORT;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: formatEmbeddingServerName(name),
      namespace,
      labels: { ...labels, ...selector },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      type: 'ClusterIP',
      selector,
      ports: [{ name: 'http', port, targetPort: port }],
      sessionAffinity: 'None',
    },
  };
}

function buildStatefulSet(server: EmbeddingWorkload): Manifest {
  const { namespace, name, spec } = server;
  const { annotations, labels } = spec.resourceOverrides?.statefulSet ?? {};
  const selector = buildEmbeddingServerLabels(name);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: formatEmbeddingServerName(name),
      namespace,
      labels: { ...labels, ...selector },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      replicas: spec.replicas ?? 1,
      serviceName: formatEmbeddingServerName(name),
      selector: { matchLabels: selector },
      template: buildEmbeddingPodTemplate(server),
      ...(spec.modelCache?.enabled === true ? { volumeClaimTemplates: [claim(spec)] } : {}),
    },
  };
}

function claim({ modelCache = {}, resourceOverrides }: EmbeddingSpec): object {
  const { annotations, labels } = resourceOverrides?.persistentVolumeClaim ?? {};
  const { accessMode, size, storageClassName } = modelCache;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: MODEL_CACHE,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      accessModes: [accessMode ?? 'ReadWriteOnce'],
      resources: { requests: { storage: size || '10Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  };
}
