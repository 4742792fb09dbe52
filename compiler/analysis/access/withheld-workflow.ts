import { isSafeBy, SAFETY_CLAIMS } from '#shared/plan';
import type { CompositeModel } from '../gateway/composites.ts';
import type { GatewayModel } from '../gateway/model.ts';

/** Why it is not known whether a gateway serves a workflow: a step calls a tool of a backend that the tool lock lacks. */
export function whyUnchecked(
  { catalog }: Pick<GatewayModel, 'catalog'>,
  { calls }: CompositeModel,
): string | undefined {
  const unlocked = calls.find(({ target }) => target.type === 'unknown' && !target.certain);
  if (unlocked === undefined) return undefined;
  const lock = catalog === undefined ? 'there is no tool lock' : `${catalog.file} does not know its backend`;
  return `step "${unlocked.call.id}" calls "${unlocked.call.tool}", and ${lock}, so it cannot be checked whether the gateway serves the workflow`;
}

/**
 * Why a gateway withholds a workflow, as far as the tool lock tells; undefined when it serves it. Each cause is an error of the specs; it
 * may appear after the build, when a backend changes its tools.
 */
export function explainWithheld(
  { toolNames }: Pick<GatewayModel, 'toolNames'>,
  { name, calls, tool: { annotations = {} } }: CompositeModel,
): string | undefined {
  const rival = toolNames.findByName(name);
  if (rival !== undefined) return `"${rival.originalName}" of backend "${rival.backend}" has its name`;
  const missing = calls.find(({ target }) => target.type === 'unknown' && target.certain);
  if (missing !== undefined) return `step "${missing.call.id}" calls "${missing.call.tool}", which no backend offers`;
  for (const { hint, safe } of SAFETY_CLAIMS) {
    if (annotations[hint] !== safe) continue;
    const unsafe = calls.find(({ target }) => target.type === 'tool' && !isSafeBy(hint, target.tool.definition));
    if (unsafe !== undefined)
      return `it claims ${hint} ${safe}, which is not true of the tool that step "${unsafe.call.id}" calls`;
  }
  return undefined;
}
