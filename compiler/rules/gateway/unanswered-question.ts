import { selectClientProfiles } from '../../analysis/gateway/client-profiles.ts';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { formatInGateway } from '../support/gateway-locations.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * The first revision without sessions; revisions are dates. From this revision on, a server can only send requests to the client in its
 * response to a client's request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
const FIRST_STATELESS_REVISION = '2026-07-28';

/**
 * Questions from the gateway or a backend must be able to reach the client.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `type: elicitation` | the clients in `lintel.yaml` support it | LNT7010
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | (backends) | all speak MCP with sessions (as HTTP+SSE backends do), or
 *   all without | LNT7010
 */
export function unansweredQuestion(gateway: GatewayModel): Diagnostic[] {
  return [...checkElicitationSteps(gateway), ...checkMixedRevisions(gateway)];
}

/** Elicitation steps in workflows, and clients of the gateway that do not support elicitation. */
function checkElicitationSteps(gateway: GatewayModel): Diagnostic[] {
  const mute = selectClientProfiles(gateway.settings.clients).filter(({ elicitation }) => elicitation === false);
  if (mute.length === 0) return [];
  const titles = mute.map(({ title }) => title).join(', ');
  return gateway.composites.flatMap(({ tool, resource, path }) =>
    tool.steps.flatMap((step, index) => {
      // With `continue` the author has handled a missing answer.
      if (step.type !== 'elicitation' || step.onError?.action === 'continue') return [];
      const message = `the step "${step.id}" asks the user a question, and ${titles} cannot show questions: the workflow fails at this step${formatInGateway(gateway, resource)}`;
      return [diagnose(resource.document, 'LNT7010', [...path, 'steps', index, 'type'], message)];
    }),
  );
}

/**
 * During a call, the gateway relays questions, whether or not backend and client use sessions. Outside of a call, a backend with sessions may send
 * requests that a client without a session cannot receive. Clients without sessions are likely if some backends use no sessions; if all backends
 * use sessions, the finding would be noise.
 */
function checkMixedRevisions(gateway: GatewayModel): Diagnostic[] {
  const { resource, backends } = gateway;
  const stateless = backends.filter(isStateless);
  const inSessions = backends.filter(isInSessions);
  if (stateless.length === 0 || inSessions.length === 0) return [];
  const kinds = `${formatNames(stateless)} without sessions and ${formatNames(inSessions)} with sessions`;
  const message = `backends speak MCP in two ways, ${kinds}: requests that a backend with sessions sends outside of a call (sampling, elicitation, roots) cannot reach clients without sessions`;
  return [diagnose(resource.document, 'LNT7010', ['spec', 'groupRef', 'name'], message)];
}

function isStateless({ locked, plan }: BackendModel): boolean {
  return plan.transport !== 'sse' && locked !== undefined && locked.protocolVersion >= FIRST_STATELESS_REVISION;
}

/** HTTP+SSE always has sessions. */
function isInSessions({ locked, plan }: BackendModel): boolean {
  return plan.transport === 'sse' || (locked !== undefined && locked.protocolVersion < FIRST_STATELESS_REVISION);
}

function formatNames(backends: readonly BackendModel[]): string {
  return formatQuotedList(backends.map(({ name }) => name));
}
