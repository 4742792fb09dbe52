import { Type } from 'typebox';
import { conditions, observedGeneration, secretKeyRef } from './blocks.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { fields, freeForm, type KindDefinition, oneOf, refined } from './define.ts';
import { imagePullSecrets, podTemplateSpec } from './workload.ts';

export const mcpRegistry: KindDefinition = {
  kind: 'MCPRegistry',
  plural: 'mcpregistries',
  singular: 'mcpregistry',
  shortNames: ['mcpreg', 'registry'],
  description:
    'A registry server: an API that lists MCP servers. Deprecated: deploy the registry server from its configuration file instead.',
  specRequired: true,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    readyColumn,
    { name: 'Replicas', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    ageColumn,
  ],
  spec: fields(
    'MCPRegistrySpec',
    {
      configYAML: Type.String({
        minLength: 1,
        description: 'The configuration file of the registry server, as YAML text.',
      }),
      displayName: Type.Optional(Type.String({ description: 'Display name of the registry.' })),
      volumes: Type.Optional(
        Type.Array(freeForm({ type: 'object', description: 'A Kubernetes volume.' }), {
          description: 'Kubernetes volumes of the pod, for files that the configuration names.',
        }),
      ),
      volumeMounts: Type.Optional(
        Type.Array(freeForm({ type: 'object', description: 'A Kubernetes volume mount.' }), {
          description: 'Kubernetes volume mounts of the container `registry-api`.',
        }),
      ),
      pgpassSecretRef: Type.Optional(
        refined(secretKeyRef, { description: 'Secret with a pgpass file, which has the passwords of the database.' }),
      ),
      podTemplateSpec: Type.Optional(podTemplateSpec('registry-api')),
      imagePullSecrets: Type.Optional(
        refined(imagePullSecrets, {
          description: 'Secrets for pulling images. A list in the pod template replaces this list.',
        }),
      ),
    },
    { description: 'Desired state of the registry server.' },
  ),
  status: fields(
    'MCPRegistryStatus',
    {
      phase: Type.Optional(
        oneOf(['Pending', 'Ready', 'Failed', 'Terminating'], { description: 'Phase of the registry server.' }),
      ),
      message: Type.Optional(Type.String({ description: 'Explanation of the phase.' })),
      url: Type.Optional(Type.String({ description: 'URL of the registry server inside the cluster.' })),
      readyReplicas: Type.Optional(Type.Integer({ format: 'int32', description: 'Number of ready pods.' })),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the registry server.' },
  ),
};
