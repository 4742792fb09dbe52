import { MAX_TEMPLATE_DEPTH, type TemplateBranch, type TemplateNode, type TemplateTree } from '#schemas';
import { toWellFormed } from './byte-text.ts';
import { printAll } from './format/print.ts';
import { BoundedText, Budget } from './limits.ts';
import { evaluatePipe } from './pipeline.ts';
import { iterateRounds } from './rounds.ts';
import { EvaluationScope } from './scope.ts';
import { EvaluationError, TemplateError } from './template-error.ts';
import { isTrue, type TemplateValue } from './value.ts';

/**
 * The output of a template with this data: that of Go's `text/template` with data read by `encoding/json`.
 * @param data parsed JSON; it is not changed. Its strings should be well-formed, because a lone surrogate represents a byte.
 * @throws TemplateError when the template cannot be evaluated with this data or exceeds a limit
 * @see https://pkg.go.dev/text/template
 */
export function evaluateTemplate(tree: TemplateTree, data: unknown): string {
  const root = (data ?? undefined) as TemplateValue;
  const scope = new EvaluationScope(new Budget(), root);
  try {
    const output = new BoundedText(scope.budget);
    walkAll(tree.nodes, root, { scope, output, depth: 0 });
    return toWellFormed(output.text);
  } catch (error) {
    throw error instanceof EvaluationError ? new TemplateError(error.code, scope.at, error.message) : error;
  }
}

interface Walk {
  readonly scope: EvaluationScope;
  readonly output: BoundedText;
  readonly depth: number;
}

/** A statement that ends a list of nodes early. */
type Jump = 'break' | 'continue' | undefined;

function walkAll(nodes: readonly TemplateNode[], dot: TemplateValue, walk: Walk): Jump {
  for (const node of nodes) {
    const jump = walkNode(node, dot, walk);
    if (jump !== undefined) return jump;
  }
  return undefined;
}

function walkNode(node: TemplateNode, dot: TemplateValue, walk: Walk): Jump {
  const { scope, output } = walk;
  scope.budget.spend(1);
  switch (node.kind) {
    case 'text':
      output.add(node.text);
      return undefined;
    case 'action': {
      const value = evaluatePipe(node.pipe, dot, scope);
      scope.at = node.pipe.at;
      if (node.pipe.variables.length === 0) {
        output.add(value === undefined ? '<no value>' : printAll([value], scope.budget));
      }
      return undefined;
    }
    case 'break':
    case 'continue':
      return node.kind;
    default:
      return walkBranch(node, dot, walk);
  }
}

function walkBranch(branch: TemplateBranch, dot: TemplateValue, outer: Walk): Jump {
  const { scope } = outer;
  const walk = { ...outer, depth: outer.depth + 1 };
  // The parser has the same limit, but a tree may come from another source.
  if (walk.depth > MAX_TEMPLATE_DEPTH)
    throw new EvaluationError('ERR_TEMPLATE_LIMIT', 'the template is nested too deep');
  const mark = scope.mark();
  const value = evaluatePipe(branch.pipe, dot, scope);
  scope.at = branch.pipe.at;
  let jump: Jump;
  if (branch.kind === 'range') jump = walkRange(branch, value, dot, walk);
  else if (isTrue(value, scope.budget)) jump = walkAll(branch.body, branch.kind === 'with' ? value : dot, walk);
  else jump = walkAll(branch.otherwise, dot, walk);
  scope.release(mark);
  return jump;
}

function walkRange(
  { pipe, body, otherwise }: TemplateBranch,
  value: TemplateValue,
  dot: TemplateValue,
  walk: Walk,
): Jump {
  const { scope } = walk;
  const mark = scope.mark();
  const { variables } = pipe;
  let ran = false;
  for (const { key, element } of iterateRounds(value, variables.length, scope.budget)) {
    ran = true;
    scope.budget.spend(1);
    // A single variable gets the element; of two variables, the first one gets the key.
    const values = variables.length > 1 ? [key, element] : [element];
    variables.forEach((name, index) => {
      if (pipe.assigns) scope.assign(name, values[index]);
      else scope.replace(mark - variables.length + index, values[index]);
    });
    const jump = walkAll(body, element, walk);
    scope.release(mark);
    if (jump === 'break') break;
  }
  if (ran) return undefined;
  // The parser accepts a break here as one of the outer range; Go ends this range with it.
  const jump = walkAll(otherwise, dot, walk);
  return jump === 'break' ? undefined : jump;
}
