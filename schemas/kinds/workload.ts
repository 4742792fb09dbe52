/** Blocks of the kinds that run pods. */
import { type TSchema, Type } from 'typebox';
import { fields, freeForm, record, refined } from './define.ts';

const amounts: TSchema = fields(
  'ResourceAmounts',
  {
    cpu: Type.Optional(Type.String({ description: 'CPU as a Kubernetes quantity, for example `500m`.' })),
    memory: Type.Optional(Type.String({ description: 'Memory as a Kubernetes quantity, for example `256Mi`.' })),
  },
  { description: 'Amounts of CPU and memory.' },
);

export const containerResources: TSchema = fields(
  'ContainerResources',
  {
    limits: Type.Optional(refined(amounts, { description: 'The most that the container may use.' })),
    requests: Type.Optional(refined(amounts, { description: 'What the scheduler reserves for the container.' })),
  },
  { description: 'CPU and memory of the container.' },
);

/** A plain environment variable. */
export const envVar: TSchema = fields(
  'EnvVar',
  {
    name: Type.String({ description: 'Name of the variable.' }),
    value: Type.String({ description: 'Its value, stored readable.' }),
  },
  { description: 'One environment variable.' },
);

export const imagePullSecrets: TSchema = Type.Array(
  fields(
    'ImagePullSecret',
    { name: Type.Optional(Type.String({ default: '', description: 'Name of the Secret with registry credentials.' })) },
    { description: 'One Secret with registry credentials.' },
  ),
  { description: 'Secrets with which images are pulled.' },
);

/** Labels and annotations for a generated object. */
export const metadataOverrides: TSchema = fields(
  'MetadataOverrides',
  {
    annotations: Type.Optional(record(Type.String(), { description: 'Annotations to add.' })),
    labels: Type.Optional(record(Type.String(), { description: 'Labels to add.' })),
  },
  { description: 'Labels and annotations to add to a generated object.' },
);

/** Overrides of the objects generated for a proxy. */
export const proxyResourceOverrides: TSchema = fields(
  'ProxyResourceOverrides',
  {
    proxyDeployment: Type.Optional(
      fields(
        'ProxyDeploymentOverrides',
        {
          annotations: Type.Optional(record(Type.String(), { description: 'Annotations to add to the Deployment.' })),
          labels: Type.Optional(record(Type.String(), { description: 'Labels to add to the Deployment.' })),
          env: Type.Optional(
            Type.Array(envVar, { description: 'Environment variables to add to the proxy container.' }),
          ),
          imagePullSecrets: Type.Optional(imagePullSecrets),
          podTemplateMetadataOverrides: Type.Optional(
            refined(metadataOverrides, { description: 'Labels and annotations to add to the pods of the proxy.' }),
          ),
        },
        { description: 'Changes to the Deployment of the proxy.' },
      ),
    ),
    proxyService: Type.Optional(
      refined(metadataOverrides, { description: 'Labels and annotations to add to the Service of the proxy.' }),
    ),
  },
  { description: 'Changes to the objects generated for the proxy.' },
);

/** A pod template that is merged into the generated one; Kubernetes defines its shape. */
export function podTemplateSpec(container: string): TSchema {
  return freeForm({
    type: 'object',
    description: `Pod template merged over the generated one. Address the main container by the name \`${container}\`.`,
  });
}
