import type { RehearsedCall } from '#schemas';
import type { TestedWorkflow } from '../planned-test.ts';

/** The tool's name in the workflow's steps. */
export function formatToolName(
  { composite }: TestedWorkflow,
  { backend, tool }: Pick<RehearsedCall, 'backend' | 'tool'>,
): string {
  const found = composite.calls.find(
    ({ target }) => target.type === 'tool' && target.tool.backend === backend && target.tool.originalName === tool,
  );
  return found?.call.tool ?? `${backend}.${tool}`;
}
