import { Type } from 'typebox';
import { conditions, HTTP_URL, observedGeneration } from './blocks.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { fields, type KindDefinition, oneOf } from './define.ts';
import { headerForward } from './header-forward.ts';
import { proxySpecFields, proxyStatusFields } from './proxy.ts';
import { podTemplateSpec } from './workload.ts';

export const mcpRemoteProxy: KindDefinition = {
  kind: 'MCPRemoteProxy',
  plural: 'mcpremoteproxies',
  singular: 'mcpremoteproxy',
  shortNames: ['rp', 'mcprp'],
  description: 'A proxy pod in front of a remote MCP server, with authentication, authorization and audit of its own.',
  specRequired: false,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Remote URL', type: 'string', jsonPath: '.spec.remoteUrl' },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    readyColumn,
    ageColumn,
  ],
  spec: fields(
    'MCPRemoteProxySpec',
    {
      remoteUrl: Type.String({
        ...HTTP_URL,
        description: 'Endpoint of the remote server. Loopback, link-local and cluster API addresses are refused.',
      }),
      allowPrivateEndpoint: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Permit an address in a private range or a `*.cluster.local` host as the endpoint.',
        }),
      ),
      transport: Type.Optional(
        oneOf(['sse', 'streamable-http'], {
          description: 'Protocol of the remote server and of the proxy.',
          default: 'streamable-http',
        }),
      ),
      headerForward: Type.Optional(headerForward),
      podTemplateSpec: Type.Optional(podTemplateSpec('proxy')),
      ...proxySpecFields,
    },
    {
      description: 'Desired state of the proxy.',
      rules: [
        {
          rule: '!(has(self.authzConfig) && has(self.authzConfigRef))',
          message: 'authzConfig and authzConfigRef cannot be combined: keep one of them',
        },
      ],
    },
  ),
  status: fields(
    'MCPRemoteProxyStatus',
    {
      phase: Type.Optional(
        oneOf(['Pending', 'Ready', 'Failed', 'Terminating'], { description: 'Phase of the proxy.' }),
      ),
      ...proxyStatusFields,
      externalUrl: Type.Optional(Type.String({ description: 'URL of the proxy outside the cluster, when known.' })),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the proxy.' },
  ),
};
