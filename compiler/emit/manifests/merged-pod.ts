/** The pods of a gateway or registry server for checks, without packing the bundle that they mount. */
import { type GatewayBundle, isObject, type RegistryBundle } from '#schemas';
import { change } from './defaults/fill.ts';
import { podDefaults } from './defaults/pod.ts';
import { buildPodTemplate } from './deployment.ts';
import { type EmbeddingWorkload, MODEL_CACHE } from './embedding/embedding-workload.ts';
import { buildEmbeddingPodTemplate } from './embedding/pod-template.ts';
import type { ManifestFields } from './manifest.ts';
import { resolveSettings } from './settings.ts';
import { mergePodTemplate } from './strategic-merge/merge.ts';
import { describeWorkload } from './workload.ts';

/** A placeholder for the bundle's digest, which no check depends on. */
const DIGEST = `sha256:${'0'.repeat(64)}`;

/** Null for a registry server's configuration file, which belongs to no cluster. */
export function mergeGatewayPod(bundle: GatewayBundle | RegistryBundle): ManifestFields | null {
  const workload = describeWorkload(bundle, undefined);
  return workload === null
    ? null
    : withDefaults(buildPodTemplate(workload, resolveSettings({}), DIGEST, { sources: [] }));
}

/** The pod of an EmbeddingServer as the StatefulSet creates it, with a volume for the claim. */
export function mergeEmbeddingPod(server: EmbeddingWorkload): ManifestFields {
  const claim = { name: MODEL_CACHE, persistentVolumeClaim: { claimName: MODEL_CACHE } };
  const template = buildEmbeddingPodTemplate(server);
  const withClaim = (list: unknown) => [...(Array.isArray(list) ? list : []), claim];
  const isCached = server.spec.modelCache?.enabled === true;
  return withDefaults(isCached ? { ...template, spec: change(template.spec, { volumes: withClaim }) } : template);
}

/** The pod of a workload that another controller creates; only the name of its container is known. */
export function createForeignPod(container: string, podTemplateSpec: ManifestFields): ManifestFields {
  const generated = { spec: { containers: [{ name: container, image: container }] } };
  return withDefaults(mergePodTemplate(generated, podTemplateSpec));
}

function withDefaults(template: ManifestFields): ManifestFields {
  const filled = change(template, { spec: podDefaults });
  return isObject(filled) ? filled : {};
}
