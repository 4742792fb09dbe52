import type { CodeEntry } from './code-entry.ts';

/** About `*.test.yaml`, which `lintel test` runs. */
export const WORKFLOW_TEST_CODES = {
  LNT7030: {
    name: 'workflow-test-failed',
    severity: 'error',
    meaning: 'A workflow does something else in a test than the test expects.',
    since: '0.1.0',
    fix: 'Correct the workflow, or what the test expects of it',
    fixed: 'tested',
  },
  LNT7031: {
    name: 'unknown-name-in-test',
    severity: 'error',
    meaning: 'A test names a gateway, workflow, tool or step that there is not, or that the workflow does not use.',
    since: '0.1.0',
    fix: 'Correct the name, or remove what is left over from an earlier workflow',
    fixed: 'tested',
  },
  LNT7032: {
    name: 'value-does-not-fit-in-test',
    severity: 'error',
    meaning: 'The input or an answer in a test does not fit its schema, so it would never come about.',
    since: '0.1.0',
    fix: 'Write what callers, tools and people give by the schemas of the spec and the tool lock',
    fixed: 'tested',
  },
  LNT7033: {
    name: 'answer-missing-in-test',
    severity: 'error',
    meaning: 'A step calls a tool, or asks a person, and the test has no answer.',
    since: '0.1.0',
    fix: 'Add what the tool or the person answers',
    fixed: 'tested',
  },
  LNT7034: {
    name: 'workflow-not-covered',
    severity: 'error',
    meaning: 'The tests take fewer steps and branches of a workflow than `--min-coverage` asks for.',
    since: '0.1.0',
    fix: 'Add tests that take them',
    fixed: 'tested',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
