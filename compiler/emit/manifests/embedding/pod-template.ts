/** The pods of an EmbeddingServer: text-embeddings-inference, or what takes its arguments and variables. */
import { EMBEDDING_PORT, embeddingServerLabels } from '#schemas';
import { MAIN_CONTAINER } from '../../../analysis/pods/main-container.ts';
import type { Fields } from '../manifest.ts';
import { mergePodTemplate } from '../strategic-merge/merge.ts';
import { type EmbeddingWorkload, MODEL_CACHE } from './embedding-workload.ts';

const USER = 1000;

/** Where models are downloaded to: the only folder besides `/tmp` that is written. */
const MODELS = '/data';

/** Downloading and loading a model may take half an hour. Only then is a server that does not answer one that hangs. */
const START = { periodSeconds: 10, failureThreshold: 180 };

/** With `podTemplateSpec` merged over it, and without the defaults of the API server. */
export function embeddingPodTemplate(server: EmbeddingWorkload): Fields {
  const { name, spec } = server;
  const merged = mergePodTemplate(generated(server), spec.podTemplateSpec ?? {});
  const { annotations, labels } = spec.resourceOverrides?.statefulSet?.podTemplateMetadataOverrides ?? {};
  const metadata = merged.metadata as { readonly labels?: Fields; readonly annotations?: Fields } | undefined;
  const allAnnotations = { ...metadata?.annotations, ...annotations };
  return {
    ...merged,
    metadata: {
      ...metadata,
      // What the StatefulSet finds its pods by is not for templates to change.
      labels: { ...metadata?.labels, ...labels, ...embeddingServerLabels(name) },
      ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
    },
  };
}

function generated({ spec }: EmbeddingWorkload): Fields {
  const { model = '', image = '', port = EMBEDDING_PORT, imagePullPolicy = 'IfNotPresent', args = [] } = spec;
  const isCached = spec.modelCache?.enabled === true;
  const volumes = [
    { name: 'lintel-tmp', emptyDir: {} },
    // A claim of the StatefulSet is mounted by its name, without a volume of the pod.
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
        // A cache of many files is not gone through at each start.
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: MAIN_CONTAINER.EmbeddingServer,
          image,
          imagePullPolicy,
          args: ['--model-id', model, '--port', String(port), ...args],
          env: environment(spec, model),
          ports: [{ name: 'http', containerPort: port }],
          startupProbe: { ...health(port), ...START },
          livenessProbe: { ...health(port), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
          readinessProbe: { ...health(port), periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
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

function health(port: number): Fields {
  return { httpGet: { path: '/health', port } };
}

/** Variables of the spec win over generated ones of the same name. */
function environment({ hfTokenSecretRef, env = [] }: EmbeddingWorkload['spec'], model: string): readonly Fields[] {
  const variables: readonly Fields[] = [
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
