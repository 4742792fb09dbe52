import { Type } from 'typebox';
import { conditions, observedGeneration } from './blocks.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { compositeToolFields } from './composite-tool/index.ts';
import { fields, type KindDefinition, listSet, oneOf } from './define.ts';

export const virtualMcpCompositeToolDefinition: KindDefinition = {
  kind: 'VirtualMCPCompositeToolDefinition',
  plural: 'virtualmcpcompositetooldefinitions',
  singular: 'virtualmcpcompositetooldefinition',
  shortNames: ['vmcpctd', 'compositetool'],
  description: 'A composite tool that several gateways can use through `config.compositeToolRefs`.',
  specRequired: false,
  printerColumns: [
    { name: 'Workflow', type: 'string', jsonPath: '.spec.name' },
    { name: 'Status', type: 'string', jsonPath: '.status.validationStatus' },
    ageColumn,
    readyColumn,
  ],
  spec: fields('VirtualMCPCompositeToolDefinitionSpec', compositeToolFields, { description: 'The workflow.' }),
  status: fields(
    'VirtualMCPCompositeToolDefinitionStatus',
    {
      validationStatus: Type.Optional(
        oneOf(['Valid', 'Invalid', 'Unknown'], { description: 'Whether the workflow passed validation.' }),
      ),
      validationErrors: Type.Optional(Type.Array(Type.String(), { description: 'What is wrong with the workflow.' })),
      referencingVirtualServers: Type.Optional(
        listSet(Type.String(), { description: 'Names of VirtualMCPServers that use the workflow.' }),
      ),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the workflow.' },
  ),
};
