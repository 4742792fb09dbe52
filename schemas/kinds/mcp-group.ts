import { Type } from 'typebox';
import { conditions, observedGeneration } from './blocks.ts';
import { fields, type KindDefinition, listSet, oneOf } from './define.ts';

export const mcpGroup: KindDefinition = {
  kind: 'MCPGroup',
  plural: 'mcpgroups',
  singular: 'mcpgroup',
  shortNames: ['mcpg', 'mcpgroup'],
  description:
    'A named set of backends. Members declare themselves: a workload whose `spec.groupRef.name` names this group belongs to it.',
  specRequired: false,
  printerColumns: [
    { name: 'Servers', type: 'integer', jsonPath: '.status.serverCount' },
    { name: 'Proxies', type: 'integer', jsonPath: '.status.remoteProxyCount' },
    { name: 'Entries', type: 'integer', jsonPath: '.status.entryCount' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Checked', type: 'string', jsonPath: ".status.conditions[?(@.type=='MCPServersChecked')].status" },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  spec: fields(
    'MCPGroupSpec',
    { description: Type.Optional(Type.String({ description: 'Description of the group; it has no effect.' })) },
    { description: 'Desired state of the group.' },
  ),
  status: fields(
    'MCPGroupStatus',
    {
      phase: Type.Optional(
        oneOf(['Ready', 'Pending', 'Failed'], {
          description: 'Whether the member lists could be read.',
          default: 'Pending',
        }),
      ),
      servers: Type.Optional(listSet(Type.String(), { description: 'Names of member MCPServers, sorted.' })),
      serverCount: Type.Optional(Type.Integer({ format: 'int32', description: 'Number of member MCPServers.' })),
      remoteProxies: Type.Optional(
        listSet(Type.String(), { description: 'Names of member MCPRemoteProxies, sorted.' }),
      ),
      remoteProxyCount: Type.Optional(
        Type.Integer({ format: 'int32', description: 'Number of member MCPRemoteProxies.' }),
      ),
      entries: Type.Optional(listSet(Type.String(), { description: 'Names of member MCPServerEntries, sorted.' })),
      entryCount: Type.Optional(Type.Integer({ format: 'int32', description: 'Number of member MCPServerEntries.' })),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the group.' },
  ),
};
