/** The pods of an EmbeddingServer: text-embeddings-inference, or an image with the same arguments and variables. */
import { buildEmbeddingServerLabels, EMBEDDING_PORT } from '#schemas';
import { MAIN_CONTAINER } from '../../../analysis/pods/main-container.ts';
import type { ManifestFields } from '../manifest.ts';
import { mergePodTemplate } from '../strategic-merge/merge.ts';
import { type EmbeddingWorkload, MODEL_CACHE } from './embedding-workload.ts';

const USER = 1000;

/** The folder for downloaded models, the only writable one besides `/tmp`. */
const MODELS = '/data';

/** Downloading and loading a model may take half an hour; only later does a missing answer mean that the server hangs. */
const START = { periodSeconds: 10, failureThreshold: 180 };

/** Merged with `podTemplateSpec`, without the API server's defaults. */
export function buildEmbeddingPodTemplate(server: EmbeddingWorkload): ManifestFields {
  const { name, spec } = server;
  const merged = mergePodTemplate(generatePodTemplate(server), spec.podTemplateSpec ?? {});
  const { annotations, labels } = spec.resourceOverrides?.statefulSet?.podTemplateMetadataOverrides ?? {};
  const metadata = merged.metadata as
    | { readonly labels?: ManifestFields; readonly annotations?: ManifestFields }
    | undefined;
  const allAnnotations = { ...metadata?.annotations, ...annotations };
  return {
    ...merged,
    metadata: {
      ...metadata,
      // Labels by which the StatefulSet selects pods cannot be changed by templates.
      labels: { ...metadata?.labels, ...labels, ...buildEmbeddingServerLabels(name) },
      ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
    },
  };
}

function generatePodTemplate({ spec }: EmbeddingWorkload): ManifestFields {
  const { model = '', image = '', port = EMBEDDING_PORT, imagePullPolicy = 'IfNotPresent', args = [] } = spec;
  const isCached = spec.modelCache?.enabled === true;
  const volumes = [
    { name: 'lintel-tmp', emptyDir: {} },
    // A StatefulSet's claim is mounted by name, without a volume in the pod.
    ...(isCached ? [] : [{ name: MODEL_CACHE, emptyDir: {} }]),
  ];
  return {
    metadata: {},
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        // Avoids changing the owner of every file in a large cache at each start.
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: MAIN_CONTAINER.EmbeddingServer,
          image,
          imagePullPolicy,
          args: ['--model-id', model, '--port', String(port), ...args],
          env: listEnvironment(spec, model),
          ports: [{ name: 'http', containerPort: port }],
          startupProbe: { ...buildHealthProbe(port), ...START },
          livenessProbe: { ...buildHealthProbe(port), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
          readinessProbe: { ...buildHealthProbe(port), periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
          resources: spec.resources ?? {},
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
          },
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [
            { name: 'lintel-tmp', mountPath: '/tmp' },
            { name: MODEL_CACHE, mountPath: MODELS },
          ],
        },
      ],
      volumes,
    },
  };
}

function buildHealthProbe(port: number): ManifestFields {
  return { httpGet: { path: '/health', port } };
}

/** Variables of the spec override generated ones. */
function listEnvironment(
  { hfTokenSecretRef, env = [] }: EmbeddingWorkload['spec'],
  model: string,
): readonly ManifestFields[] {
  const variables: readonly ManifestFields[] = [
    { name: 'MODEL_ID', value: model },
    { name: 'HF_HOME', value: MODELS },
    ...(hfTokenSecretRef === undefined
      ? []
      : [
          { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: hfTokenSecretRef.name, key: hfTokenSecretRef.key } } },
        ]),
    ...env.map(({ name, value }) => ({ name, value })),
  ];
  return [...new Map(variables.map(variable => [variable.name, variable])).values()];
}
