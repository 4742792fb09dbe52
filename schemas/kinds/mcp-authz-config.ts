import { Type } from 'typebox';
import { conditions, configHash, observedGeneration } from './blocks.ts';
import { ageColumn, validColumn } from './columns.ts';
import { fields, freeForm, type KindDefinition } from './define.ts';

export const mcpAuthzConfig: KindDefinition = {
  kind: 'MCPAuthzConfig',
  plural: 'mcpauthzconfigs',
  singular: 'mcpauthzconfig',
  shortNames: ['authzcfg'],
  description: 'Authorization policies; several servers can refer to this object.',
  specRequired: false,
  printerColumns: [{ name: 'Type', type: 'string', jsonPath: '.spec.type' }, validColumn, ageColumn],
  spec: fields(
    'MCPAuthzConfigSpec',
    {
      type: Type.String({ minLength: 1, description: 'Policy engine and its version. Gateways support `cedarv1`.' }),
      config: freeForm({ type: 'object', description: 'Settings of the policy engine, in its own format.' }),
    },
    { description: 'Desired authorization.' },
  ),
  status: fields(
    'MCPAuthzConfigStatus',
    { configHash, observedGeneration, conditions },
    { description: 'Observed state of the authorization.' },
  ),
};
