import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listSteps, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { isExplicit } from './support/explicit.ts';

/**
 * Checks `onError` and the handling of elicitation answers: `retry` needs a count, and other actions have none.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `onDecline`, `onCancel` | `action` is set | LNT1008
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `onError` | `retry` needs `retryCount`; its fields only with it |
 *   LNT7015, LNT1008
 */
export function compositeRetry(resource: Resource): Diagnostic[] {
  return listSteps(resource).flatMap(({ step, path }) => [
    ...checkErrorPolicy(resource, step, [...path, 'onError']),
    ...(step.step === undefined ? [] : checkErrorPolicy(resource, step.step, [...path, 'step', 'onError'])),
    ...checkIdleAction(resource, step, path),
    ...(['onDecline', 'onCancel'] as const).flatMap(field => answerPolicy(resource, [...path, field])),
  ]);
}

function checkErrorPolicy(resource: Resource, { id, onError }: Pick<Step, 'id' | 'onError'>, path: Path): Diagnostic[] {
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

/** Calls can be retried, and failed list items skipped. Neither applies to a whole list, to an elicitation, or to a single item. */
function checkIdleAction(resource: Resource, { id, type, onError, step: inner }: Step, path: Path): Diagnostic[] {
  const report = (at: Path, message: string) => [
    diagnose(resource.document, 'LNT1008', [...at, 'onError', 'action'], message),
  ];
  if (onError?.action === 'retry' && type === 'elicitation')
    return report(path, `retry has no effect on step "${id}": the gateway does not repeat a question to a person`);
  if (type !== 'forEach') return [];
  const found: Diagnostic[] = [];
  if (onError?.action === 'retry')
    found.push(
      ...report(
        path,
        `retry has no effect on the forEach "${id}": put it on the step inside, whose calls are repeated`,
      ),
    );
  if (inner?.onError?.action === 'continue')
    found.push(
      ...report([...path, 'step'], `continue has no effect in a step inside of forEach: put it on step "${id}"`),
    );
  return found;
}

/** The API server adds `abort` as the default, but an author of specs who writes the block wants to choose. */
function answerPolicy(resource: Resource, path: Path): Diagnostic[] {
  if (!isExplicit(resource, path) || isExplicit(resource, [...path, 'action'])) return [];
  const message = `${path.at(-1)} has no effect without action: the action is then abort`;
  return [diagnose(resource.document, 'LNT1008', path, message, { at: 'key' })];
}
