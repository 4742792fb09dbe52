import { Type } from 'typebox';
import { conditions, configHash, observedGeneration } from './blocks.ts';
import { ageColumn, validColumn } from './columns.ts';
import { fields, type KindDefinition, listSet, record } from './define.ts';
import { toolOverride } from './tool-overrides.ts';

export const mcpToolConfig: KindDefinition = {
  kind: 'MCPToolConfig',
  plural: 'mcptoolconfigs',
  singular: 'mcptoolconfig',
  shortNames: ['tc', 'toolconfig'],
  description: 'Which tools of a server to keep and how to present them; shared by the workloads that refer to it.',
  specRequired: false,
  printerColumns: [validColumn, ageColumn],
  spec: fields(
    'MCPToolConfigSpec',
    {
      toolsFilter: Type.Optional(
        listSet(Type.String(), {
          description: 'Names of the tools to keep, as they read after renaming. Empty keeps all.',
        }),
      ),
      toolsOverride: Type.Optional(
        record(toolOverride, { description: 'Changes to single tools, keyed by their original names.' }),
      ),
    },
    { description: 'Desired presentation of the tools.' },
  ),
  status: fields(
    'MCPToolConfigStatus',
    { configHash, observedGeneration, conditions },
    { description: 'Observed state of the tool configuration.' },
  ),
};
