import { isObject } from '#schemas';
import { listReferencedPaths, parseTemplate } from '../analysis/templates/index.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type CompositeTool, listCompositeTools, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';

/** Default of `maxIterations`. */
const DEFAULT_ITERATIONS = 100;

/**
 * A list that the caller provides must have a bound before it is processed: a list that is too long fails the step.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `collection` | if it is a parameter, `maxItems` or `maxIterations`
 *   limits it | LNT7026
 */
export function unboundedList(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) =>
    tool.steps.flatMap((step, index) => {
      const name = step.type === 'forEach' ? findParameter(step) : undefined;
      const schema = name === undefined ? undefined : findSchema(tool, name);
      if (name === undefined || schema === undefined) return [];
      const at = [...path, 'steps', index, 'collection'];
      const accepted = step.maxIterations || DEFAULT_ITERATIONS;
      const { maxItems } = schema;
      if (typeof maxItems !== 'number') {
        const isChosen = (step.maxIterations ?? 0) > 0;
        if (isChosen) return [];
        const message = `parameter "${name}" has no maxItems, and a list of more than ${accepted} items fails step "${step.id}"`;
        const fix = `set maxItems in the schema of "${name}", or maxIterations of the step`;
        return [diagnose(resource.document, 'LNT7026', at, message, { fix })];
      }
      if (maxItems <= accepted) return [];
      const message = `parameter "${name}" may have ${maxItems} items, and more than ${accepted} fail step "${step.id}"`;
      const fix = `lower maxItems of "${name}" to ${accepted}, or raise maxIterations`;
      return [diagnose(resource.document, 'LNT7026', at, message, { severity: 'warning', fix })];
    }),
  );
}

/** The parameter that the collection reads, if it reads nothing else. */
function findParameter({ collection = '' }: Step): string | undefined {
  const parsed = parseTemplate(collection);
  const reads = 'tree' in parsed ? listReferencedPaths(parsed.tree) : [];
  const [root, name, ...further] = reads.length === 1 && reads[0] ? reads[0].path : [];
  return root === 'params' && further.length === 0 ? name : undefined;
}

function findSchema({ parameters }: CompositeTool, name: string): Readonly<Record<string, unknown>> | undefined {
  const properties = parameters?.properties;
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  // A reference or an alternative may contain a bound.
  const isPlain = isObject(schema) && !['$ref', 'allOf', 'anyOf', 'oneOf'].some(word => Object.hasOwn(schema, word));
  return isPlain ? schema : undefined;
}
