/** A workflow over backend tools that is advertised as one tool. */
import { type TProperties, Type } from 'typebox';
import { duration } from '../blocks.ts';
import { freeForm, refined } from '../define.ts';
import { toolAnnotations } from '../tool-overrides.ts';
import { compositeOutput } from './output.ts';
import { compositeStep } from './step.ts';

export const compositeToolFields: TProperties = {
  name: Type.String({ description: 'Name under which the workflow is advertised as a tool; unique in the gateway.' }),
  description: Type.Optional(Type.String({ description: 'What the workflow does, for clients.' })),
  parameters: Type.Optional(
    freeForm({ type: 'object', description: 'JSON Schema of the input; its `type` must be `object`.' }),
  ),
  timeout: Type.Optional(duration({ description: 'Time limit of the whole workflow.' })),
  steps: Type.Array(compositeStep, {
    description: 'Steps to run. Steps that do not depend on each other run concurrently.',
  }),
  output: Type.Optional(compositeOutput),
  annotations: Type.Optional(
    refined(toolAnnotations, {
      description:
        'Tool annotations of the workflow. They cannot claim that the workflow is safer than the tools that it calls.',
    }),
  ),
};
