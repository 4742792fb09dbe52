import { parseTemplate } from '../analysis/templates/index.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listSteps } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { quote } from '../text/describe.ts';

/** The exact texts that a condition may render: they are not trimmed. */
const ANSWERS: readonly string[] = ['true', 'True', 'TRUE', 'false', 'False', 'FALSE'];

/**
 * A condition must be able to render exactly true or false; any other text fails its step.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `condition` | renders exactly true or false, without whitespace |
 *   LNT7028
 */
export function conditionNeverDecides(resource: Resource): Diagnostic[] {
  return listSteps(resource).flatMap(({ step: { id, condition = '' }, path }) => {
    const problem = condition === '' ? undefined : findProblem(condition);
    if (problem === undefined) return [];
    const message = `the condition of step "${id}" ${problem}, and must render exactly true or false`;
    return [diagnose(resource.document, 'LNT7028', [...path, 'condition'], message)];
  });
}

function findProblem(condition: string): string | undefined {
  const parsed = parseTemplate(condition);
  if (!('tree' in parsed)) return undefined;
  // Text outside of all branches is always rendered.
  const texts = parsed.tree.nodes.flatMap(node => (node.kind === 'text' ? [node.text] : []));
  if (texts.length === parsed.tree.nodes.length) {
    const text = texts.join('');
    return ANSWERS.includes(text) ? undefined : `is always ${quote(text)}`;
  }
  const other = texts.find(text => /[^a-z]/i.test(text));
  if (other === undefined) return undefined;
  return other.trim() === '' ? `renders white space, ${quote(other)}` : `always renders ${quote(other)} as well`;
}
