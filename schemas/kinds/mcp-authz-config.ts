import { Type } from 'typebox';
import { conditions, configHash, observedGeneration } from './blocks.ts';
import { ageColumn, validColumn } from './columns.ts';
import { fields, freeForm, type KindDefinition } from './define.ts';

export const mcpAuthzConfig: KindDefinition = {
  kind: 'MCPAuthzConfig',
  plural: 'mcpauthzconfigs',
  singular: 'mcpauthzconfig',
  shortNames: ['authzcfg'],
  description: 'Authorization policies; shared by the servers that refer to it.',
  specRequired: false,
  printerColumns: [{ name: 'Type', type: 'string', jsonPath: '.spec.type' }, validColumn, ageColumn],
  spec: fields(
    'MCPAuthzConfigSpec',
    {
      type: Type.String({ minLength: 1, description: 'Policy engine and version; gateways know `cedarv1`.' }),
      config: freeForm({ type: 'object', description: 'Settings of the policy engine, in the shape that it defines.' }),
    },
    { description: 'Desired authorization.' },
  ),
  status: fields(
    'MCPAuthzConfigStatus',
    { configHash, observedGeneration, conditions },
    { description: 'Observed state of the authorization.' },
  ),
};
