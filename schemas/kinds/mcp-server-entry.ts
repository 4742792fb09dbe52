import { Type } from 'typebox';
import { caBundleRef, conditions, HTTP_URL, observedGeneration } from './blocks.ts';
import { ageColumn } from './columns.ts';
import { fields, type KindDefinition, oneOf, refined } from './define.ts';
import { headerForward } from './header-forward.ts';
import { externalAuthConfigRef, groupRef } from './references.ts';

export const mcpServerEntry: KindDefinition = {
  kind: 'MCPServerEntry',
  plural: 'mcpserverentries',
  singular: 'mcpserverentry',
  shortNames: ['mcpentry'],
  description: 'A remote MCP server that a gateway contacts directly, without a pod or Service of its own.',
  specRequired: false,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Transport', type: 'string', jsonPath: '.spec.transport' },
    { name: 'Remote URL', type: 'string', jsonPath: '.spec.remoteUrl' },
    { name: 'Group', type: 'string', jsonPath: '.spec.groupRef.name' },
    ageColumn,
  ],
  spec: fields(
    'MCPServerEntrySpec',
    {
      remoteUrl: Type.String({
        ...HTTP_URL,
        description:
          'Endpoint of the remote server, used as written. Loopback, link-local and cluster API addresses are always refused.',
      }),
      transport: oneOf(['sse', 'streamable-http'], { description: 'Protocol that the remote server speaks.' }),
      groupRef,
      allowPrivateEndpoint: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Permit an address in a private range or a `*.cluster.local` host as the endpoint.',
        }),
      ),
      externalAuthConfigRef: Type.Optional(externalAuthConfigRef),
      headerForward: Type.Optional(headerForward),
      caBundleRef: Type.Optional(
        refined(caBundleRef, {
          description: 'Certificate authorities to trust for this endpoint, in addition to those of the system.',
        }),
      ),
    },
    { description: 'Desired state of the entry.' },
  ),
  status: fields(
    'MCPServerEntryStatus',
    {
      phase: Type.Optional(
        oneOf(['Valid', 'Pending', 'Failed'], {
          description: 'Phase that another controller may set. Lintel neither sets nor reads it.',
          default: 'Pending',
        }),
      ),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the entry.' },
  ),
};
