import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { parseDurationMs } from '../text/duration.ts';

/**
 * Timeouts of workflows and steps must be positive, and a step's must not exceed its workflow's.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `timeout` of a step | within the timeout of the workflow | LNT7011
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `timeout` of a workflow or step | above zero | LNT1013
 */
export function compositeTimeouts(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => {
    const { timeout } = tool;
    const noTime = isZero(timeout);
    const found = noTime ? [reportZero(resource, [...path, 'timeout'], timeout, '30m')] : [];
    for (const [index, step] of tool.steps.entries()) {
      const at = [...path, 'steps', index, 'timeout'];
      if (isZero(step.timeout)) found.push(reportZero(resource, at, step.timeout, '5m'));
      if (noTime || timeout === undefined || step.timeout === undefined) continue;
      if (parseDurationMs(step.timeout) <= parseDurationMs(timeout)) continue;
      const message = `step "${step.id}" may run for ${step.timeout}, but the workflow ends after ${timeout}`;
      found.push(diagnose(resource.document, 'LNT7011', at, message));
    }
    return found;
  });
}

function isZero(timeout: string | undefined): timeout is string {
  return timeout !== undefined && parseDurationMs(timeout) === 0;
}

/** @param usual the default */
function reportZero(resource: Resource, path: Path, timeout: string, usual: string): Diagnostic {
  return diagnose(resource.document, 'LNT1013', path, `expected a duration longer than zero, found "${timeout}"`, {
    help: `Write a duration longer than zero, such as ${usual}, the default`,
  });
}
