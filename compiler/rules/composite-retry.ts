import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listSteps, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { isExplicit } from './support/explicit.ts';

/** `onError` and the answers to a question: `retry` says how often, and nothing else retries. */
export function compositeRetry(resource: Resource): Diagnostic[] {
  return listSteps(resource).flatMap(({ step, path }) => [
    ...errorPolicy(resource, step, [...path, 'onError']),
    ...(step.step === undefined ? [] : errorPolicy(resource, step.step, [...path, 'step', 'onError'])),
    ...(['onDecline', 'onCancel'] as const).flatMap(field => answerPolicy(resource, [...path, field])),
  ]);
}

function errorPolicy(resource: Resource, { id, onError }: Pick<Step, 'id' | 'onError'>, path: Path): Diagnostic[] {
  if (onError === undefined) return [];
  if (onError.action === 'retry') {
    if ((onError.retryCount ?? 0) >= 1) return [];
    const at = [...path, 'retryCount'];
    return [diagnose(resource.document, 'LNT7015', at, `step "${id}" retries, so retryCount must be at least 1`)];
  }
  return (['retryCount', 'retryDelay'] as const)
    .map(field => [...path, field])
    .filter(at => isExplicit(resource, at))
    .map(at => {
      const message = `${at.at(-1)} has no effect: onError.action is ${onError.action ?? 'abort'}, not retry`;
      return diagnose(resource.document, 'LNT1008', at, message, { at: 'key' });
    });
}

/** The API server fills in `abort`; a user who writes the block means to choose. */
function answerPolicy(resource: Resource, path: Path): Diagnostic[] {
  if (!isExplicit(resource, path) || isExplicit(resource, [...path, 'action'])) return [];
  const message = `${path.at(-1)} chooses nothing: without action it means abort`;
  return [diagnose(resource.document, 'LNT1008', path, message, { at: 'key' })];
}
