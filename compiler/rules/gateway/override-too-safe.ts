import { findOverride, readHint, type SafetyHint } from '#shared/plan';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import { listSaferClaims } from '../../analysis/gateway/safer-claims.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findBackend, formatInGateway, locateSettings } from '../support/gateway-locations.ts';

/**
 * An override should not call a tool safer than its backend does: policies and clients rely on the override.
 *
 * @holds config.aggregation, backends | `overrides[].annotations` | do not call a tool safer than its backend does | LNT3031
 */
export function overrideTooSafe(gateway: GatewayModel): Diagnostic[] {
  return gateway.tools.flatMap(tool => {
    const { overrides = {} } = findBackend(gateway, tool.backend)?.plan.tools ?? {};
    const overridden = findOverride(overrides, tool.originalName)?.annotations;
    if (overridden === undefined) return [];
    return listSaferClaims(
      hint => readHint(tool.definition, hint),
      hint => readHint(tool.offered, hint),
    )
      .filter(hint => overridden[hint] !== undefined)
      .flatMap(hint => checkSaferOverride(gateway, tool, hint));
  });
}

function checkSaferOverride(
  gateway: GatewayModel,
  { backend, originalName, offered }: ToolModel,
  hint: SafetyHint,
): Diagnostic[] {
  const settings = locateSettings(gateway, backend);
  if (settings === undefined) return [];
  const { resource, overrides } = settings;
  const claim = `${hint} ${hint === 'readOnlyHint'}`;
  const message = `the override says ${claim} of "${originalName}" of "${backend}", and the backend says that it ${says(offered, hint)}${formatInGateway(gateway, resource)}`;
  return [diagnose(resource.document, 'LNT3031', [...overrides, originalName, 'annotations', hint], message)];
}

function says(offered: ToolModel['offered'], hint: SafetyHint): string {
  if (hint === 'openWorldHint') return 'reaches out to other systems';
  return readHint(offered, 'destructiveHint') === true ? 'may destroy data' : 'is not read-only';
}
