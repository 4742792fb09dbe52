import { isSafeBy, readHint, SAFETY_CLAIMS, type SafetyHint } from '#shared/plan';
import type { CompositeModel, StepCall } from '../../analysis/gateway/composites.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatInGateway } from '../support/gateway-locations.ts';

/** The property of a tool that contradicts a hint. */
const OTHERWISE: { readonly [hint in SafetyHint]: string } = {
  readOnlyHint: 'is not read-only',
  destructiveHint: 'may destroy data',
  openWorldHint: 'reaches out to other systems',
};

/**
 * A composite tool must not claim to be safer than the tools that it calls; the gateway would withhold it.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `annotations` | do not claim more safety than the called tools have |
 *   LNT7009
 * @needs all backends
 */
export function annotationsTooSafe(gateway: GatewayModel): Diagnostic[] {
  return gateway.composites.flatMap(composite => {
    const { annotations = {} } = composite.tool;
    return SAFETY_CLAIMS.flatMap(({ hint, safe }) =>
      annotations[hint] === safe ? checkClaim(gateway, composite, hint) : [],
    );
  });
}

/** One contradicting tool is enough; the finding names the first. */
function checkClaim(
  gateway: GatewayModel,
  { name, resource, path, calls }: CompositeModel,
  hint: SafetyHint,
): Diagnostic[] {
  const witness = calls.find(({ target }) => target.type === 'tool' && !isSafeBy(hint, target.tool.definition));
  if (witness?.target.type !== 'tool') return [];
  const { tool } = witness.target;
  const otherwise = OTHERWISE[hint];
  const contradiction =
    readHint(tool.definition, hint) === undefined ? `${otherwise}: its annotations do not set ${hint}` : otherwise;
  const message = `"${name}" claims ${hint} ${hint === 'readOnlyHint'}, but its step "${witness.step.id}" calls "${tool.originalName}" of "${tool.backend}", which ${contradiction}${formatInGateway(gateway, resource)}`;
  const related = [toRelatedLocation('the step', locateTool(resource, witness))];
  return [diagnose(resource.document, 'LNT7009', [...path, 'annotations', hint], message, { related })];
}

function locateTool(resource: CompositeModel['resource'], { callPath }: StepCall) {
  return { resource, path: [...callPath, 'tool'] };
}
