import { type TProperties, type TSchema, Type } from 'typebox';
import { duration } from '../blocks.ts';
import { fields, freeForm, oneOf, refined } from '../define.ts';

const onError: TSchema = fields(
  'StepErrorPolicy',
  {
    action: Type.Optional(
      oneOf(['abort', 'continue', 'retry'], {
        default: 'abort',
        description:
          '`abort` ends the workflow, `continue` goes on with `defaultResults`, `retry` tries again up to `retryCount` times.',
      }),
    ),
    retryCount: Type.Optional(Type.Integer({ description: 'Number of further attempts; only with `retry`.' })),
    retryDelay: Type.Optional(duration({ description: 'Pause before another attempt; only with `retry`.' })),
  },
  { description: 'What happens when the step fails.' },
);

const onAnswer: TSchema = fields(
  'ElicitationPolicy',
  {
    action: Type.Optional(
      oneOf(['skip_remaining', 'abort', 'continue'], {
        default: 'abort',
        description: '`abort` fails the workflow, `skip_remaining` ends it early, `continue` goes on.',
      }),
    ),
  },
  { description: 'What happens when the question is not answered.' },
);

const common: TProperties = {
  id: Type.String({ description: 'Name of the step, unique in the workflow; templates refer to it.' }),
  tool: Type.Optional(Type.String({ description: 'Tool to call as `<workload>.<tool>`, or an advertised tool name.' })),
  arguments: Type.Optional(
    freeForm({
      type: 'object',
      description:
        'Arguments of the tool. Strings at the first level are templates over `.params` and `.steps`; other values are passed unchanged.',
    }),
  ),
  condition: Type.Optional(
    Type.String({
      description: 'Template. If it renders anything but `true`, the step is skipped. Absent: the step always runs.',
    }),
  ),
  dependsOn: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Ids of steps that must finish before this step starts. Steps that do not depend on each other run concurrently.',
    }),
  ),
  timeout: Type.Optional(duration({ description: 'Time limit of the step.' })),
  onError: Type.Optional(onError),
  defaultResults: Type.Optional(
    freeForm({
      description:
        'Output of the step if it is skipped, or if it fails under `continue`. Required if later steps read its output.',
    }),
  ),
};

const innerStep: TSchema = fields(
  'CompositeInnerStep',
  {
    ...common,
    type: Type.Optional(
      oneOf(['tool'], { default: 'tool', description: 'Kind of the step; only tools can be repeated.' }),
    ),
  },
  { description: 'The step to run for every item; templates also see `.forEach.<itemVar>` and `.forEach.index`.' },
);

export const compositeStep: TSchema = fields(
  'CompositeStep',
  {
    ...common,
    type: Type.Optional(
      oneOf(['tool', 'elicitation', 'forEach'], {
        default: 'tool',
        description:
          '`tool` calls a tool, `elicitation` asks the user a question, `forEach` calls a tool for each item of a list.',
      }),
    ),
    message: Type.Optional(
      Type.String({ description: 'Template of the question to the user; only for `elicitation`.' }),
    ),
    schema: Type.Optional(
      freeForm({ type: 'object', description: 'JSON Schema of the expected answer; only for `elicitation`.' }),
    ),
    onDecline: Type.Optional(refined(onAnswer, { description: 'What happens if the user declines to answer.' })),
    onCancel: Type.Optional(refined(onAnswer, { description: 'What happens if the user dismisses the question.' })),
    // The defaults of a forEach are not declared as `default`: the API server would write them into tool steps too.
    collection: Type.Optional(
      Type.String({
        description:
          'Template that renders a JSON array, for example `{{ json .steps.list.output.items }}`; only for `forEach`.',
      }),
    ),
    itemVar: Type.Optional(
      Type.String({
        description: 'Name of the item in templates; `index` is reserved. Default: `item`. Only for `forEach`.',
      }),
    ),
    maxParallel: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 50,
        description: 'Items handled at the same time, at most 50. Default, also for 0: 10. Only for `forEach`.',
      }),
    ),
    maxIterations: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description:
          'Longest list that is accepted; a longer one fails the step. Default, also for 0: 100. Only for `forEach`.',
      }),
    ),
    step: Type.Optional(innerStep),
  },
  { description: 'One step of a workflow.' },
);
