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
        description: 'The result is used only for calls with these arguments. Calls may have additional arguments.',
      }),
    ),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Number of calls for which the result is used. Later calls get the next result in the list.',
      }),
    ),
    takes: Type.Optional(duration('How long the call takes, in virtual time, such as `500ms`, `30s` or `2m`.')),
    output: Type.Optional(freeForm({ type: 'object', description: '`structuredContent` of the result.' })),
    content: Type.Optional(
      Type.Array(freeForm({ type: 'object', description: 'A content block, such as `{ type: text, text: … }`.' }), {
        description: '`content` of the result, for tools without structured output.',
      }),
    ),
    toolError: Type.Optional(Type.String({ description: 'The tool reports a failure (`isError`) with this text.' })),
    callFailed: Type.Optional(
      Type.String({ description: 'The call fails without a result of the tool, for this reason.' }),
    ),
  },
  {
    description:
      'A simulated result: `output`, `content` or both, or `toolError`, or `callFailed`. The first result in the list that matches the call is used.',
  },
);

const toolAnswers = (description: string) =>
  Type.Optional(
    record(
      Type.Array(toolAnswer, {
        minItems: 1,
        description: 'Simulated results of the tool, in the order in which they are tried.',
      }),
      {
        description,
      },
    ),
  );

const personAnswer = fields(
  'PersonAnswer',
  {
    action: oneOf(['accept', 'decline', 'cancel', 'none'], {
      description: 'Action of the user. `none`: the user does not answer before the step times out.',
    }),
    content: Type.Optional(
      freeForm({ type: 'object', description: 'Values that the user fills in; only with `accept`.' }),
    ),
    takes: Type.Optional(duration('How long the user takes, in virtual time, such as `2m`.')),
  },
  { description: 'Simulated answer of the user to one step.' },
);

const expectedCall = fields(
  'ExpectedCall',
  {
    tool: toolName('Name of the tool as in the step.'),
    step: Type.Optional(step('Step that makes the call.')),
    arguments: Type.Optional(freeForm({ type: 'object', description: 'Complete arguments of the call.' })),
  },
  { description: 'A tool call.' },
);

const expectedQuestion = fields(
  'ExpectedQuestion',
  {
    step: step('Step that asks the question.'),
    message: Type.Optional(Type.String({ description: 'Text of the question.' })),
  },
  { description: 'A question to the user.' },
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
    message: Type.Optional(Type.String({ minLength: 1, description: 'Part of the message in the log.' })),
  },
  { description: 'Expected failure of the workflow.' },
);

const OUTCOMES = ['done', 'skipped', 'failed', 'unknown', 'not_started'];

const expectation = fields(
  'WorkflowExpectation',
  {
    output: Type.Optional(freeForm({ description: 'Complete output of the workflow.' })),
    failure: Type.Optional(expectedFailure),
    calls: Type.Optional(
      Type.Array(expectedCall, { description: 'All tool calls in the order in which they start, including retries.' }),
    ),
    questions: Type.Optional(
      Type.Array(expectedQuestion, {
        description: 'All questions to the user, in the order in which they are asked.',
      }),
    ),
    steps: Type.Optional(
      record(
        oneOf(OUTCOMES, {
          description:
            'Result of the step. `unknown`: the step was stopped while its call was running, and the call may have taken effect.',
        }),
        {
          description:
            'Expected results of steps. The key is the id of the step. Steps that are absent are not checked.',
        },
      ),
    ),
    takes: Type.Optional(duration('Expected duration of the workflow, in virtual time.')),
  },
  {
    description:
      'Expected result. Without `failure`, the workflow must complete. Fields that are absent are not checked.',
  },
);

const workflowTest = fields(
  'WorkflowTest',
  {
    name: Type.String({ minLength: 1, description: 'Name of the test; unique in the file.' }),
    input: Type.Optional(
      freeForm({ type: 'object', description: 'Arguments with which the workflow is called.', default: {} }),
    ),
    tools: toolAnswers(
      'Simulated tools for this test, which take precedence over those of the file. The key is the name with which steps call the tool.',
    ),
    answers: Type.Optional(
      record(personAnswer, {
        description: 'Simulated answers of the user. The key is the id of the elicitation step.',
      }),
    ),
    cancelAfter: Type.Optional(duration('The client cancels the call after this virtual time.')),
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
      workflow: Type.String({ minLength: 1, description: 'Name of the workflow under which clients see it.' }),
      gateway: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Gateway of the workflow, as `name` or `namespace/name`. Required if several gateways have a workflow of this name.',
        }),
      ),
      tools: toolAnswers('Simulated tools for every test. The key is the name with which steps call the tool.'),
      tests: Type.Array(workflowTest, {
        minItems: 1,
        description: 'Tests. Each runs the workflow once, independently of the others.',
      }),
    },
    { description: 'Tests of one workflow: a file `*.test.yaml` next to the specs. `lintel test` runs it.' },
  ),
};
