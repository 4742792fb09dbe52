import { Type } from 'typebox';
import { EMBEDDING_PORT } from '../names.ts';
import { conditions, observedGeneration, secretKeyRef } from './blocks.ts';
import { ageColumn } from './columns.ts';
import { fields, type KindDefinition, listMap, oneOf, record, refined } from './define.ts';
import { containerResources, envVar, metadataOverrides, podTemplateSpec } from './workload.ts';

const modelCache = fields(
  'ModelCache',
  {
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'Keep downloaded models on a volume.' })),
    size: Type.Optional(Type.String({ default: '10Gi', description: 'Size of the volume as a Kubernetes quantity.' })),
    accessMode: Type.Optional(
      oneOf(['ReadWriteOnce', 'ReadWriteMany', 'ReadOnlyMany'], {
        default: 'ReadWriteOnce',
        description: 'Access mode of the volume.',
      }),
    ),
    storageClassName: Type.Optional(
      Type.String({ description: 'Storage class of the volume. Default: the default class of the cluster.' }),
    ),
  },
  { description: 'Volume for downloaded models. Absent: every pod downloads the model at its start.' },
);

const resourceOverrides = fields(
  'EmbeddingServerOverrides',
  {
    statefulSet: Type.Optional(
      fields(
        'StatefulSetOverrides',
        {
          annotations: Type.Optional(record(Type.String(), { description: 'Annotations to add to the StatefulSet.' })),
          labels: Type.Optional(record(Type.String(), { description: 'Labels to add to the StatefulSet.' })),
          podTemplateMetadataOverrides: Type.Optional(
            refined(metadataOverrides, { description: 'Labels and annotations to add to the pods.' }),
          ),
        },
        { description: 'Changes to the StatefulSet.' },
      ),
    ),
    service: Type.Optional(
      refined(metadataOverrides, { description: 'Labels and annotations to add to the Service.' }),
    ),
    persistentVolumeClaim: Type.Optional(
      refined(metadataOverrides, { description: 'Labels and annotations to add to the volume claim.' }),
    ),
  },
  { description: 'Changes to the generated objects.' },
);

export const embeddingServer: KindDefinition = {
  kind: 'EmbeddingServer',
  plural: 'embeddingservers',
  singular: 'embeddingserver',
  shortNames: ['emb', 'embedding'],
  description: 'A text-embedding service, with which the optimizer of a gateway finds tools by meaning.',
  specRequired: false,
  printerColumns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { name: 'Model', type: 'string', jsonPath: '.spec.model' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    ageColumn,
  ],
  spec: fields(
    'EmbeddingServerSpec',
    {
      model: Type.Optional(
        Type.String({ default: 'BAAI/bge-small-en-v1.5', description: 'Identifier of the model to serve.' }),
      ),
      hfTokenSecretRef: Type.Optional(
        refined(secretKeyRef, { description: 'Secret with the Hugging Face token, for models that require one.' }),
      ),
      image: Type.Optional(
        Type.String({
          default: 'ghcr.io/huggingface/text-embeddings-inference:cpu-latest',
          description: 'Container image of the embedding service.',
        }),
      ),
      imagePullPolicy: Type.Optional(
        oneOf(['Always', 'Never', 'IfNotPresent'], {
          default: 'IfNotPresent',
          description: 'When the image is pulled.',
        }),
      ),
      port: Type.Optional(
        Type.Integer({
          format: 'int32',
          minimum: 1,
          maximum: 65535,
          default: EMBEDDING_PORT,
          description: 'TCP port of the service.',
        }),
      ),
      args: Type.Optional(
        Type.Array(Type.String(), { description: 'Arguments that are appended to the generated ones.' }),
      ),
      env: Type.Optional(listMap(envVar, ['name'], { description: 'Environment variables of the container.' })),
      resources: Type.Optional(containerResources),
      modelCache: Type.Optional(modelCache),
      podTemplateSpec: Type.Optional(podTemplateSpec('embedding')),
      resourceOverrides: Type.Optional(resourceOverrides),
      replicas: Type.Optional(
        Type.Integer({ format: 'int32', minimum: 1, default: 1, description: 'Number of pods.' }),
      ),
    },
    { description: 'Desired state of the embedding service.' },
  ),
  status: fields(
    'EmbeddingServerStatus',
    {
      phase: Type.Optional(
        oneOf(['Pending', 'Downloading', 'Ready', 'Failed', 'Terminating'], {
          description: 'Phase of the service. `Downloading`: pods exist, and none of them is ready.',
        }),
      ),
      url: Type.Optional(Type.String({ description: 'URL of the service inside the cluster.' })),
      readyReplicas: Type.Optional(Type.Integer({ format: 'int32', description: 'Number of ready pods.' })),
      message: Type.Optional(Type.String({ description: 'Explanation of the phase.' })),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the embedding service.' },
  ),
};
