/** What `lintel test --record` writes as a test's expectation after it has recorded a run. */
import { expect, test } from 'vitest';
import type { RehearsalRecord } from '#schemas';
import type { PlannedTest } from '../../../compiler/workflow-tests/planned-test.ts';
import { recordExpectation } from '../../../compiler/workflow-tests/record/recorded-expectation.ts';

const PLANNED = { workflow: { composite: { calls: [] } } } as unknown as PlannedTest;
const call = { step: 'one', backend: 'b', tool: 'read', arguments: { id: 1 }, by: 'live' } as const;
const RECORD: RehearsalRecord = {
  ...{ status: 'completed', output: { count: 1 }, durationMs: 0, questions: [], calls: [call] },
  outcomes: [{ step: 'one', outcome: 'done' }],
  changes: [
    { step: 'one', status: 'running' },
    { step: 'one', status: 'completed' },
    { step: 'two', status: 'running' },
    { step: 'two', status: 'completed' },
  ],
};
const output = { count: 1 };
const calls = [{ tool: 'b.read', arguments: { id: 1 } }];

test.each<[what: string, more: Partial<RehearsalRecord>, expected: unknown]>([
  ['sequential steps', {}, { output, calls }],
  ['no call', { calls: [] }, { output, calls: [] }],
  [
    'parallel steps',
    {
      changes: [
        { step: 'one', status: 'running' },
        { step: 'two', status: 'running' },
      ],
    },
    { output },
  ],
  ['several items of a forEach', { outcomes: [{ step: 'one', outcome: 'done', items: { done: 2 } }] }, { output }],
  ['one item of a forEach', { outcomes: [{ step: 'one', outcome: 'done', items: { done: 1 } }] }, { output, calls }],
  [
    'a failed step',
    { status: 'failed', failure: { step: 'one', reason: 'tool_error' } },
    { failure: { step: 'one', reason: 'tool_error' }, calls },
  ],
  [
    'a failure of the whole workflow',
    { status: 'failed', failure: { reason: 'timeout' } },
    { failure: { reason: 'timeout' }, calls },
  ],
  ['a call without an answer', { calls: [{ ...call, by: 'none' }] }, undefined],
  [
    'a question without an answer',
    { questions: [{ step: 'ask', message: 'Sure?', isAnswered: false }] as never },
    undefined,
  ],
])(
  'lintel test --record writes the output, calls and failure of a run with %s as the expected result',
  (_, more, expected) => {
    expect(recordExpectation(PLANNED, { ...RECORD, ...more })).toEqual(expected);
  },
);
