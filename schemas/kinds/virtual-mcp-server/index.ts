import { ageColumn, readyColumn } from '../columns.ts';
import type { KindDefinition } from '../define.ts';
import { virtualMcpServerSpec } from './spec.ts';
import { virtualMcpServerStatus } from './status.ts';

export const virtualMcpServer: KindDefinition = {
  kind: 'VirtualMCPServer',
  plural: 'virtualmcpservers',
  singular: 'virtualmcpserver',
  shortNames: ['vmcp', 'virtualmcpserver', 'virtualmcp'],
  description: 'A gateway that presents the backends of a group to clients as one MCP server.',
  specRequired: true,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    { name: 'Backends', type: 'integer', jsonPath: '.status.backendCount' },
    ageColumn,
    readyColumn,
  ],
  spec: virtualMcpServerSpec,
  status: virtualMcpServerStatus,
};
