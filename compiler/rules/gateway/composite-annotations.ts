import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { CompositeModel, StepCall } from '../../gateway/composites.ts';
import type { GatewayModel, ToolModel } from '../../gateway/model.ts';
import { diagnose } from '../../resolve/diagnose.ts';
import { relatedPlace } from '../../resolve/related-place.ts';
import { isMapping } from '../../source/is-mapping.ts';
import { inGateway } from './places.ts';

/** What a hint is worth when the tool does not say: the defaults of MCP, which suppose the worst. */
const DEFAULTS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

type Hint = keyof typeof DEFAULTS;

/** The value of each hint that claims safety, and what a tool is that makes the claim false. */
const CLAIMS: readonly { readonly hint: Hint; readonly safe: boolean; readonly otherwise: string }[] = [
  { hint: 'readOnlyHint', safe: true, otherwise: 'is not read-only' },
  { hint: 'destructiveHint', safe: false, otherwise: 'may destroy' },
  { hint: 'openWorldHint', safe: false, otherwise: 'reaches out to other systems' },
];

/** A composite tool cannot be safer than the tools that it calls; one that claims so is not served. */
export function compositeAnnotations(gateway: GatewayModel): Diagnostic[] {
  return gateway.composites.flatMap(composite => {
    const { annotations = {} } = composite.tool;
    return CLAIMS.flatMap(({ hint, safe, otherwise }) =>
      annotations[hint] === safe ? falseClaim(gateway, composite, hint, otherwise) : [],
    );
  });
}

/** One tool is enough; the first is named. */
function falseClaim(
  gateway: GatewayModel,
  { name, resource, path, calls }: CompositeModel,
  hint: Hint,
  otherwise: string,
): Diagnostic[] {
  const witness = calls.find(({ target }) => target.type === 'tool' && !isSafe(target.tool, hint));
  if (witness?.target.type !== 'tool') return [];
  const { tool } = witness.target;
  const says = hintOf(tool, hint) === undefined ? `${otherwise} as far as its annotations say` : otherwise;
  const message = `"${name}" claims ${hint} ${hint === 'readOnlyHint'}, but its step "${witness.step.id}" calls "${tool.originalName}" of "${tool.backend}", which ${says}${inGateway(gateway, resource)}`;
  const related = [relatedPlace('the step', spotOf(resource, witness))];
  return [diagnose(resource.document, 'LNT7009', [...path, 'annotations', hint], message, { related })];
}

function spotOf(resource: CompositeModel['resource'], { callPath }: StepCall) {
  return { resource, path: [...callPath, 'tool'] };
}

function isSafe(tool: ToolModel, hint: Hint): boolean {
  const value = hintOf(tool, hint) ?? DEFAULTS[hint];
  if (hint === 'readOnlyHint') return value;
  // The hint means nothing for a tool that changes nothing.
  return !value || (hint === 'destructiveHint' && hintOf(tool, 'readOnlyHint') === true);
}

function hintOf({ definition: { annotations } }: ToolModel, hint: Hint): boolean | undefined {
  const value = isMapping(annotations) ? annotations[hint] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}
