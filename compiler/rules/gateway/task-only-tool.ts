import { getMember } from '#schemas';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findBackend, formatInGateway } from '../support/gateway-locations.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * The revision with tasks in sessions: in it a server refuses a plain call of a tool whose `taskSupport` is `required`. Earlier revisions have
 * no tasks, and the later revision has another kind of tasks, which tools do not announce.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
const TASK_REVISION = '2025-11-25';

/**
 * Tools that only run as tasks, which workflows and clients without sessions cannot use.
 *
 * @holds config.aggregation, backends | (`execution` of tools) | can be called by clients without tasks, and by steps | LNT3028
 */
export function taskOnlyTool(gateway: GatewayModel): Diagnostic[] {
  return [...checkClients(gateway), ...checkSteps(gateway)];
}

/** Reports one finding for each backend. */
function checkClients(gateway: GatewayModel): Diagnostic[] {
  const taskOnly = gateway.tools.filter(tool => tool.advertised && isTaskOnly(gateway, tool));
  return [...Map.groupBy(taskOnly, ({ backend }) => backend)].flatMap(([backend, tools]) => {
    const origin = findBackend(gateway, backend)?.origin;
    if (origin === undefined) return [];
    const names = formatQuotedList(tools.map(({ originalName }) => originalName));
    const how = tools.length > 1 ? 'which run as tasks only' : 'which runs as a task only';
    const message = `clients without sessions (MCP 2026-07-28) cannot call ${names} of "${backend}", ${how}`;
    return [diagnose(origin.resource.document, 'LNT3028', origin.path, message)];
  });
}

function checkSteps(gateway: GatewayModel): Diagnostic[] {
  return gateway.composites.flatMap(({ calls, resource }) =>
    calls.flatMap(({ target, callPath }) => {
      if (target.type !== 'tool' || !isTaskOnly(gateway, target.tool)) return [];
      const { backend, originalName } = target.tool;
      const message = `"${originalName}" of "${backend}" runs as a task only, and steps do not call tools as tasks: the step fails${formatInGateway(gateway, resource)}`;
      const details = { severity: 'warning' } as const;
      return [diagnose(resource.document, 'LNT3028', [...callPath, 'tool'], message, details)];
    }),
  );
}

function isTaskOnly(gateway: GatewayModel, { backend, definition }: ToolModel): boolean {
  if (findBackend(gateway, backend)?.locked?.protocolVersion !== TASK_REVISION) return false;
  return getMember(definition.execution, 'taskSupport') === 'required';
}
