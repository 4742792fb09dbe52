import { ageColumn, readyColumn } from '../columns.ts';
import type { KindDefinition } from '../define.ts';
import { gatewaySourceSpec } from './spec.ts';
import { gatewaySourceStatus } from './status.ts';

export const gatewaySource: KindDefinition = {
  kind: 'GatewaySource',
  plural: 'gatewaysources',
  singular: 'gatewaysource',
  shortNames: ['gws'],
  description: 'A Git repository whose gateways and registry servers the controller compiles and applies.',
  specRequired: true,
  // The message is the last column, because it may be longer than a line.
  printerColumns: [
    readyColumn,
    { name: 'Gateways', type: 'string', jsonPath: '.status.gatewaysReady' },
    { name: 'Suspended', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Revision', type: 'string', jsonPath: '.status.lastAppliedRevision' },
    ageColumn,
    {
      name: 'Status',
      type: 'string',
      jsonPath: `.status.conditions[?(@.type=='Ready')].message`,
    },
  ],
  spec: gatewaySourceSpec,
  status: gatewaySourceStatus,
};
