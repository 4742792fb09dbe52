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
  description: 'Selection and renaming of the tools of a server. Several workloads can refer to this object.',
  specRequired: false,
  printerColumns: [validColumn, ageColumn],
  spec: fields(
    'MCPToolConfigSpec',
    {
      toolsFilter: Type.Optional(
        listSet(Type.String(), {
          description: 'Names of the tools to keep, after renaming. Empty: all tools are kept.',
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
