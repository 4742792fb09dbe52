/** Tests the checker itself: each invariant is violated once. */
import { describe, expect, test } from 'vitest';
import type { Condition } from '#schemas';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

interface Given {
  readonly generation?: number;
  readonly annotations?: { readonly [key: string]: string };
  readonly [field: string]: unknown;
}

/** A GatewaySource of generation 2 that is reconciled and ready, except for what a row changes. */
function source({ generation = 2, annotations = {}, ...status }: Given = {}): KubeObject {
  return {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'GatewaySource',
    metadata: { name: 'prod', namespace: 'team', generation, annotations },
    status: { observedGeneration: generation, conditions: [ready('True', generation)], ...status },
  };
}

const ready = (status: Condition['status'], generation = 2, second = 0): Condition =>
  condition('Ready', status, { observedGeneration: generation, lastTransitionTime: `2026-01-01T00:00:0${second}Z` });

function condition(type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition {
  return {
    type,
    status,
    observedGeneration: 2,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'Succeeded',
    message: 'said',
    ...more,
  };
}

function seen(...objects: readonly KubeObject[]): readonly string[] {
  const invariants = new StatusInvariants();
  for (const object of objects) invariants.see(object);
  return invariants.violations.map(
    ({ invariant, message }) => `${invariant} ${message.slice(message.indexOf(': ') + 2)}`,
  );
}

const finding = (severity: string) => ({ code: 'LNT1003', severity, message: 'm' });
const entry = (revision: string, second: number) => ({
  revision,
  digest: 'sha256:a',
  status: 'Succeeded',
  firstReconciled: '2026-01-01T00:00:00Z',
  lastReconciled: `2026-01-01T00:00:0${second}Z`,
  totalReconciliations: 1,
  duration: '1s',
});

test.each<[name: string, objects: readonly KubeObject[]]>([
  ['an object without a status', [{ ...source(), status: undefined }]],
  ['a ready source', [source(), source()]],
  [
    'a new generation',
    [
      source(),
      { ...source(), metadata: { ...source().metadata, generation: 3 } },
      {
        ...source(),
        metadata: { ...source().metadata, generation: 3 },
        status: {
          observedGeneration: 2,
          conditions: [ready('Unknown', 3, 1)],
        },
      },
      source({ generation: 3, conditions: [ready('True', 3, 2)] }),
    ],
  ],
  [
    'a failure that ends with a new revision',
    [
      source({ lastAttemptedRevision: 'a' }),
      source({ lastAttemptedRevision: 'b', conditions: [ready('False', 2, 1), condition('Stalled', 'True')] }),
      source({ lastAttemptedRevision: 'c', conditions: [ready('True', 2, 2)] }),
    ],
  ],
  [
    'a try that fails before a try that succeeds',
    [source({ conditions: [ready('False')] }), source({ conditions: [ready('True', 2, 1)] })],
  ],
  [
    'a condition that returns to its value after an edit',
    [
      source(),
      { ...source(), metadata: { ...source().metadata, generation: 3 } },
      source({ generation: 3, conditions: [ready('False', 3, 1)] }),
      source({ generation: 3, conditions: [ready('True', 3, 2)] }),
    ],
  ],
  [
    'sorted lists',
    [source({ diagnostics: [finding('error'), finding('warning')], history: [entry('b', 2), entry('a', 1)] })],
  ],
])('the status check of the tests accepts %s', (_, objects) => {
  expect(seen(...objects)).toEqual([]);
});

test.each<[name: string, objects: readonly KubeObject[], violation: string]>([
  [
    'observedGeneration is greater than the generation',
    [source({ observedGeneration: 3, conditions: [] })],
    'S1 status observed generation 3 of 2',
  ],
  [
    'observedGeneration goes back',
    [source({ conditions: [] }), source({ observedGeneration: 1, conditions: [] })],
    'S1 status went back from generation 2 to 1',
  ],
  [
    'observedGeneration disappears',
    [source({ conditions: [] }), source({ observedGeneration: undefined, conditions: [] })],
    'S1 status lost its generation',
  ],
  [
    'observedGeneration of a condition goes back',
    [
      source({ conditions: [condition('Applied', 'True')] }),
      source({ conditions: [condition('Applied', 'True', { observedGeneration: 1 })] }),
    ],
    'S1 Applied went back from generation 2 to 1',
  ],
  [
    'Ready while the status is of an older generation',
    [source({ observedGeneration: 1 })],
    'S2 Ready while status is of generation 1, not 2',
  ],
  [
    'Ready without observedGeneration',
    [source({ observedGeneration: undefined })],
    'S2 Ready without telling the generation',
  ],
  [
    'Ready and Stalled',
    [source({ conditions: [ready('True'), condition('Stalled', 'True')] })],
    'S2 Ready and Stalled',
  ],
  [
    'Reconciling and Stalled',
    [source({ conditions: [ready('False'), condition('Reconciling', 'True'), condition('Stalled', 'True')] })],
    'S3 Stalled and Reconciling',
  ],
  [
    'a new lastTransitionTime without a new status',
    [source(), source({ conditions: [ready('True', 2, 1)] })],
    'S4 Ready stayed True, and its time changed from 2026-01-01T00:00:00Z to 2026-01-01T00:00:01Z',
  ],
  [
    'lastTransitionTime goes back',
    [source({ conditions: [ready('False', 2, 1)] }), source()],
    'S4 Ready went back in time from 2026-01-01T00:00:01Z to 2026-01-01T00:00:00Z',
  ],
  [
    'an unknown reason',
    [source({ conditions: [condition('Ready', 'True', { reason: 'Nice' })] })],
    'S5 Ready has the unknown reason Nice',
  ],
  [
    'Ready goes True, False, True without a new input',
    [source(), source({ conditions: [ready('False', 2, 1)] }), source({ conditions: [ready('True', 2, 2)] })],
    'S6 Ready went True, False, True while no input changed',
  ],
  [
    'a False condition without a message',
    [source({ conditions: [condition('Ready', 'False', { message: '' })] })],
    'S7 Ready is False without a message',
  ],
  [
    'Stalled is False instead of absent',
    [source({ conditions: [condition('Stalled', 'False')] })],
    'S7 Stalled is False instead of absent',
  ],
  ['an unknown field of the status', [source({ phase: 'Ready' })], 'S8 status.phase: unknown field "phase"'],
  [
    'an inventory that is not sorted',
    [source({ inventory: { entries: ['b', 'a'].map(id => ({ id, v: 'v1', uid: 'u' })) } })],
    'S9 inventory.entries is not sorted',
  ],
  [
    'a condition twice',
    [source({ conditions: [ready('True'), ready('True')] })],
    'S9 conditions hold one twice: Ready, Ready',
  ],
  [
    'too many diagnostics',
    [source({ diagnostics: Array.from({ length: 21 }, () => finding('error')) })],
    'S10 21 diagnostics',
  ],
  [
    'errors after other diagnostics',
    [source({ diagnostics: [finding('hint'), finding('error')] })],
    'S10 errors are not first',
  ],
  [
    'too many entries of history',
    [source({ history: [6, 5, 4, 3, 2, 1].map(n => entry(`${n}`, n)) })],
    'S11 6 entries of history',
  ],
  [
    'history in the wrong order',
    [source({ history: [entry('a', 1), entry('b', 2)] })],
    'S11 history has b after the older a',
  ],
  [
    'the same entry of history twice in a row',
    [source({ history: [entry('a', 2), entry('a', 1)] })],
    'S11 history has a twice in a row',
  ],
])('the status check of the tests finds a violation: %s', (_, objects, violation) => {
  expect(seen(...objects)).toContainEqual(expect.stringContaining(violation));
});

describe('inputs that objects do not show', () => {
  const course = [
    source(),
    source({ conditions: [ready('False', 2, 1)] }),
    source({ conditions: [ready('True', 2, 2)] }),
  ];

  test('the status check of the tests accepts a condition that returns to its former status if the test announces changed inputs', () => {
    const invariants = new StatusInvariants();
    for (const object of course) {
      invariants.inputChanged();
      invariants.see(object);
    }
    expect(invariants.violations).toEqual([]);
  });

  test('the status check of the tests treats an object with another uid as a new object', () => {
    const invariants = new StatusInvariants();
    course.forEach((object, index) => {
      invariants.see({ ...object, metadata: { ...object.metadata, uid: `${index}` } });
    });
    expect(invariants.violations).toEqual([]);
  });
});
