import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { durationMs } from '../text/duration.ts';

/** A step cannot run longer than its workflow. */
export function compositeTimeouts(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => {
    const { timeout } = tool;
    if (timeout === undefined) return [];
    return tool.steps.flatMap((step, index) => {
      if (step.timeout === undefined || durationMs(step.timeout) <= durationMs(timeout)) return [];
      const message = `step "${step.id}" may run for ${step.timeout}, but the workflow ends after ${timeout}`;
      return [diagnose(resource.document, 'LNT7011', [...path, 'steps', index, 'timeout'], message)];
    });
  });
}
