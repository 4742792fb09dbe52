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
    limits: Type.Optional(refined(amounts, { description: 'Maximum CPU and memory of the container.' })),
    requests: Type.Optional(
      refined(amounts, { description: 'CPU and memory that the scheduler reserves for the container.' }),
    ),
  },
  { description: 'CPU and memory of the container.' },
);

/** A plain environment variable. */
export const envVar: TSchema = fields(
  'EnvVar',
  {
    name: Type.String({ description: 'Name of the variable.' }),
    value: Type.String({ description: 'Value of the variable, stored in plain text.' }),
  },
  { description: 'One environment variable.' },
);

export const imagePullSecrets: TSchema = Type.Array(
  fields(
    'ImagePullSecret',
    { name: Type.Optional(Type.String({ default: '', description: 'Name of the Secret with registry credentials.' })) },
    { description: 'One Secret with registry credentials.' },
  ),
  { description: 'Secrets for pulling images.' },
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
  { description: 'Changes to the objects that are generated for the proxy.' },
);

/** A pod template that is merged into the generated one; Kubernetes defines its shape. */
export function podTemplateSpec(container: string): TSchema {
  return freeForm({
    type: 'object',
    description: `Pod template that is merged over the generated one. The main container has the name \`${container}\`.`,
  });
}
