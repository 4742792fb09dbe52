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
        description:
          'Text that strategy `prefix` puts before tool names. `{workload}` stands for the name of the backend.',
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
      Type.Boolean({ description: 'Advertise no tool of this backend. Composite tools can still call them.' }),
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
  { description: 'Which tools of one backend are advertised, and under which names.' },
);

export const aggregation: TSchema = fields(
  'AggregationConfig',
  {
    conflictResolution: Type.Optional(
      oneOf(['prefix', 'priority', 'manual'], {
        default: 'prefix',
        description:
          "How to name tools that several backends offer under one name. `prefix`: every tool name begins with the backend's name. `priority`: the first backend in `priorityOrder` keeps the name. `manual`: overrides must give the tools different names.",
      }),
    ),
    conflictResolutionConfig: Type.Optional(conflictResolutionConfig),
    excludeAllTools: Type.Optional(
      Type.Boolean({ description: 'Advertise no tool of any backend. Composite tools can still call them.' }),
    ),
    defaultToolVisibility: Type.Optional(
      oneOf(['allow', 'deny'], {
        description: 'Whether tools of backends without an entry in `tools` are advertised. Unset means `allow`.',
      }),
    ),
    tools: Type.Optional(
      Type.Array(workloadTools, {
        description: 'Which tools are advertised, and under which names; one entry per backend.',
      }),
    ),
  },
  { description: 'How the tools of all backends become one list.' },
);
