/** `*.test.yaml`: tests of a workflow, with the answers of its tools and people. Not a kind: it is never applied to a cluster. */
import { Type } from 'typebox';
import { type FileDefinition, fields, form, freeForm, oneOf, record } from '../kinds/define.ts';

const duration = (description: string) =>
  Type.String({
    ...form('^[0-9]{1,9}(ms|s|m)$', 'a whole number of milliseconds, seconds or minutes', '30s'),
    description,
  });

const step = (description: string) => Type.String({ minLength: 1, description });

const toolName = (description: string) => Type.String({ minLength: 1, description });

const toolAnswer = fields(
  'ToolAnswer',
  {
    arguments: Type.Optional(
      freeForm({
        type: 'object',
        description: 'Answers only calls that have these arguments; they may have others besides.',
      }),
    ),
    times: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How many calls it answers; the next one in the list follows.' }),
    ),
    takes: Type.Optional(duration('How long the call takes, in virtual time, such as `500ms`, `30s` or `2m`.')),
    output: Type.Optional(freeForm({ type: 'object', description: 'What the tool gives as `structuredContent`.' })),
    content: Type.Optional(
      Type.Array(freeForm({ type: 'object', description: 'A block, such as `{ type: text, text: … }`.' }), {
        description: 'What the tool gives as `content`, for tools without structured output.',
      }),
    ),
    toolError: Type.Optional(
      Type.String({ description: 'The tool says that it failed, in these words (`isError` of MCP).' }),
    ),
    callFailed: Type.Optional(
      Type.String({ description: 'The call fails without an answer of the tool, for this reason.' }),
    ),
  },
  {
    description:
      'What a tool answers: `output`, `content` or both, or else `toolError` or `callFailed`. The first in the list that fits the call is taken.',
  },
);

const toolAnswers = (description: string) =>
  Type.Optional(
    record(Type.Array(toolAnswer, { minItems: 1, description: 'In the order in which they are tried.' }), {
      description,
    }),
  );

const personAnswer = fields(
  'PersonAnswer',
  {
    action: oneOf(['accept', 'decline', 'cancel', 'none'], {
      description: 'What the person does; `none` lets the time of the step pass.',
    }),
    content: Type.Optional(freeForm({ type: 'object', description: 'What is filled in, for `accept`.' })),
    takes: Type.Optional(duration('How long the person takes, in virtual time, such as `2m`.')),
  },
  { description: 'What a person answers to the question of a step.' },
);

const expectedCall = fields(
  'ExpectedCall',
  {
    tool: toolName('The tool, as steps write it.'),
    step: Type.Optional(step('The step that calls.')),
    arguments: Type.Optional(freeForm({ type: 'object', description: 'All of its arguments.' })),
  },
  { description: 'A call of a tool.' },
);

const expectedQuestion = fields(
  'ExpectedQuestion',
  {
    step: step('The step that asks.'),
    message: Type.Optional(Type.String({ description: 'What the person reads.' })),
  },
  { description: 'A question to a person.' },
);

const expectedFailure = fields(
  'ExpectedFailure',
  {
    step: Type.Optional(step('The step whose failure ends the workflow.')),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The class of the cause, as clients get it: `tool_error`, `call_failed`, `timeout`, `template`, `collection`, `output`, `declined`, `dismissed` or `stopped`.',
      }),
    ),
    message: Type.Optional(Type.String({ minLength: 1, description: 'A part of the message that operators get.' })),
  },
  { description: 'How the workflow fails.' },
);

const OUTCOMES = ['done', 'skipped', 'failed', 'unknown', 'not_started'];

const expectation = fields(
  'WorkflowExpectation',
  {
    output: Type.Optional(freeForm({ description: 'All of the output of a workflow that completes.' })),
    failure: Type.Optional(expectedFailure),
    calls: Type.Optional(
      Type.Array(expectedCall, { description: 'Every call, in the order in which they start, further attempts too.' }),
    ),
    questions: Type.Optional(
      Type.Array(expectedQuestion, {
        description: 'Every question to a person, in the order in which they are asked.',
      }),
    ),
    steps: Type.Optional(
      record(
        oneOf(OUTCOMES, {
          description: '`unknown`: it was under way when it was stopped, and may have had its effect.',
        }),
        { description: 'What becomes of steps; those that are left out may come to anything.' },
      ),
    ),
    takes: Type.Optional(duration('How long the workflow takes, in virtual time.')),
  },
  { description: 'What is expected. Without `failure` the workflow completes; what is left out may be anything.' },
);

const workflowTest = fields(
  'WorkflowTest',
  {
    name: Type.String({ minLength: 1, description: 'What is tested, in a few words; each test has its own name.' }),
    input: Type.Optional(
      freeForm({ type: 'object', description: 'Arguments of the call of the workflow.', default: {} }),
    ),
    tools: toolAnswers('What tools answer, by the name that steps call them by; before those of the file.'),
    answers: Type.Optional(
      record(personAnswer, { description: 'What a person answers, by the id of the step that asks.' }),
    ),
    cancelAfter: Type.Optional(duration('The client calls the workflow off after this virtual time.')),
    expect: Type.Optional(expectation),
  },
  { description: 'One run of the workflow.' },
);

export const workflowTests: FileDefinition = {
  id: 'workflow-test',
  title: 'Tests of a workflow of Lintel',
  schema: fields(
    'WorkflowTestFile',
    {
      workflow: Type.String({ minLength: 1, description: 'The workflow, by its name as clients see it.' }),
      gateway: Type.Optional(
        Type.String({
          minLength: 1,
          description: '`name` or `namespace/name`; needed where several gateways have a workflow of this name.',
        }),
      ),
      tools: toolAnswers('What tools answer in every test, by the name that steps call them by.'),
      tests: Type.Array(workflowTest, { minItems: 1, description: 'The tests, each on its own.' }),
    },
    { description: 'Tests of one workflow: the file `*.test.yaml` next to the specs, which `lintel test` runs.' },
  ),
};
