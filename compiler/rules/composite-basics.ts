import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';

/** Maximum number of steps of one workflow. */
export const MAX_STEPS = 100;

/**
 * A composite tool needs a name, a description and steps.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `name`, `description`, `steps` | not empty; at most 100 steps |
 *   LNT1010, LNT1013
 */
export function compositeBasics(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => {
    const found: Diagnostic[] = [];
    if (tool.name === '') {
      found.push(diagnose(resource.document, 'LNT1010', [...path, 'name'], 'the name of the composite tool is empty'));
    }
    if ((tool.description ?? '') === '') {
      const message = `composite tool "${tool.name}" has no description: clients choose tools by their descriptions`;
      found.push(diagnose(resource.document, 'LNT1010', [...path, 'description'], message));
    }
    const { length } = tool.steps;
    if (length === 0) {
      const message = `composite tool "${tool.name}" has no steps`;
      const help = 'Write a step, such as { id: find, tool: github.search }';
      found.push(diagnose(resource.document, 'LNT1013', [...path, 'steps'], message, { help }));
    }
    if (length > MAX_STEPS) {
      const message = `composite tool "${tool.name}" has ${length} steps, at most ${MAX_STEPS} are possible`;
      const help = `Write at most ${MAX_STEPS} steps; the others can be a composite tool of their own`;
      found.push(diagnose(resource.document, 'LNT1013', [...path, 'steps'], message, { help }));
    }
    return found;
  });
}
