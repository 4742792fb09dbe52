import { type TSchema, Type } from 'typebox';
import { fields, oneOf, record } from '../define.ts';
import { toolConfigRef } from '../references.ts';
import { toolOverride } from '../tool-overrides.ts';

const conflictResolutionConfig: TSchema = fields(
  'ConflictResolutionConfig',
  {
    prefixFormat: Type.Optional(
      Type.String({
        default: '{workload}_',
        description: 'Text put before tool names by `prefix`; `{workload}` stands for the name of the backend.',
      }),
    ),
    priorityOrder: Type.Optional(
      Type.Array(Type.String(), { description: 'Backends in the order in which `priority` prefers them.' }),
    ),
  },
  { description: 'Details of the chosen strategy.' },
);

const workloadTools: TSchema = fields(
  'WorkloadTools',
  {
    workload: Type.String({ description: 'Name of the backend.' }),
    excludeAll: Type.Optional(
      Type.Boolean({ description: 'Advertise no tool of this backend; composite tools can still use them.' }),
    ),
    filter: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names of the tools to advertise, after renaming. Ignored when `toolConfigRef` is set.',
      }),
    ),
    overrides: Type.Optional(
      record(toolOverride, {
        description:
          'Changes to single tools, keyed by their names at the backend. Ignored when `toolConfigRef` is set.',
      }),
    ),
    toolConfigRef: Type.Optional(toolConfigRef),
  },
  { description: 'Which tools of one backend are advertised, and how.' },
);

export const aggregation: TSchema = fields(
  'AggregationConfig',
  {
    conflictResolution: Type.Optional(
      oneOf(['prefix', 'priority', 'manual'], {
        default: 'prefix',
        description:
          'What to do when backends offer tools of the same name: `prefix` puts the backend before every name, `priority` takes the first backend in order, `manual` leaves it to overrides.',
      }),
    ),
    conflictResolutionConfig: Type.Optional(conflictResolutionConfig),
    excludeAllTools: Type.Optional(
      Type.Boolean({ description: 'Advertise no backend tool at all; composite tools can still use them.' }),
    ),
    defaultToolVisibility: Type.Optional(
      oneOf(['allow', 'deny'], {
        description: 'Whether tools of backends without an entry in `tools` are advertised. Unset means `allow`.',
      }),
    ),
    tools: Type.Optional(
      Type.Array(workloadTools, { description: 'Choice and presentation of tools, one entry for each backend.' }),
    ),
  },
  { description: 'How the tools of all backends become one list.' },
);
