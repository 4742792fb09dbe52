import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listSteps, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { parseDurationMs } from '../text/duration.ts';

/** Maximum number of retries of one step. */
const MOST_RETRIES = 10;
/** Maximum time for an answer to an elicitation. */
const LONGEST_QUESTION = '10m';

/**
 * Values beyond these limits are accepted but have no further effect.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `retryCount`, `timeout` of `elicitation` | at most 10, and at most 10m
 *   | LNT1013 (warning)
 */
export function compositeCaps(resource: Resource): Diagnostic[] {
  return listSteps(resource).flatMap(({ step, path }) => [
    ...checkRetries(resource, step, path),
    ...(step.step === undefined ? [] : checkRetries(resource, step.step, [...path, 'step'])),
    ...checkQuestion(resource, step, path),
  ]);
}

function checkRetries(resource: Resource, { id, onError }: Pick<Step, 'id' | 'onError'>, path: Path): Diagnostic[] {
  const { action, retryCount = 0 } = onError ?? {};
  if (action !== 'retry' || retryCount <= MOST_RETRIES) return [];
  const message = `step "${id}" is tried again ${MOST_RETRIES} times at most, not ${retryCount}`;
  return [
    diagnose(resource.document, 'LNT1013', [...path, 'onError', 'retryCount'], message, {
      severity: 'warning',
      help: `Write 1 to ${MOST_RETRIES}`,
    }),
  ];
}

function checkQuestion(resource: Resource, { id, type, timeout }: Step, path: Path): Diagnostic[] {
  if (type !== 'elicitation' || timeout === undefined) return [];
  if (parseDurationMs(timeout) <= parseDurationMs(LONGEST_QUESTION)) return [];
  const message = `step "${id}" waits ${LONGEST_QUESTION} for an answer at most, not ${timeout}`;
  return [
    diagnose(resource.document, 'LNT1013', [...path, 'timeout'], message, {
      severity: 'warning',
      help: `Write ${LONGEST_QUESTION} or less`,
    }),
  ];
}
