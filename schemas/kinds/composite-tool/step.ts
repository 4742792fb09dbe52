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
    retryDelay: Type.Optional(duration({ description: 'Wait before another attempt; only with `retry`.' })),
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
        'Arguments of the tool. Strings at the first level are templates over `.params` and `.steps`; all else is passed as it is.',
    }),
  ),
  condition: Type.Optional(Type.String({ description: 'Template; the step is skipped unless it renders `true`.' })),
  dependsOn: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Identifiers of steps that must finish before; independent steps run together.',
    }),
  ),
  timeout: Type.Optional(duration({ description: 'Longest run of the step.' })),
  onError: Type.Optional(onError),
  defaultResults: Type.Optional(
    freeForm({
      description:
        'Output to assume when the step is skipped or fails under `continue`; needed when later steps read its output.',
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
        description: '`tool` calls a tool, `elicitation` asks the person, `forEach` repeats a tool over a list.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'Template of the question; only for `elicitation`.' })),
    schema: Type.Optional(
      freeForm({ type: 'object', description: 'JSON Schema of the expected answer; only for `elicitation`.' }),
    ),
    onDecline: Type.Optional(refined(onAnswer, { description: 'What happens when the person declines to answer.' })),
    onCancel: Type.Optional(refined(onAnswer, { description: 'What happens when the person dismisses the question.' })),
    // The defaults of a forEach are not declared as `default`: the API server would write them into tool steps too.
    collection: Type.Optional(
      Type.String({
        description:
          'Template that renders a JSON array, for example `{{ json .steps.list.output.items }}`; only for `forEach`.',
      }),
    ),
    itemVar: Type.Optional(
      Type.String({
        description: 'Name of the item in templates; `index` is taken. Default: `item`. Only for `forEach`.',
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
