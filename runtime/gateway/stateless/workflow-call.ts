/** Workflows of stateless clients: each request carries all that is known of its client. */
import { hasAnnounced } from '../../mcp/client-traits.ts';
import { META } from '../../mcp/meta-names.ts';
import { shareOf } from '../../mcp/share-of.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { completeResult } from '../../mcp/stateless/result.ts';
import type { WireError } from '../../mcp/wire-error.ts';
import type { Gateway } from '../gateway.ts';
import type { Limit } from '../limits/limit.ts';
import { requireStillIn } from '../sender.ts';
import type { Destination } from '../targets.ts';
import { wireErrorOf } from '../wire-errors.ts';
import type { WorkflowClient } from '../workflows/client.ts';
import type { ServedWorkflow } from '../workflows/served-workflows.ts';
import type { StatelessRequest } from './relay.ts';

export interface WorkflowEdge {
  /** Sends the call of a step as that of the client. */
  readonly sendStep: (destination: Destination, request: StatelessRequest) => void;
  /** What a client is answered that has reached a limit. */
  readonly limited: (limit: Limit) => WireError;
}

/** Runs a workflow, which costs one token of its own and none for its steps. */
export function callWorkflow(
  gateway: Gateway,
  workflow: ServedWorkflow,
  request: StatelessRequest,
  { sendStep, limited }: WorkflowEdge,
): void {
  const { answer, sender } = request;
  const limit = gateway.limits.take(workflow.name, sender.identity);
  const run = async (): Promise<void> => {
    const reached = limit instanceof Promise ? await limit : limit;
    if (answer.aborted) return;
    requireStillIn(sender);
    if (reached !== undefined) throw limited(reached);
    const { connections } = gateway;
    await gateway.workflows.run({ workflow, client: clientOf(gateway, request, sendStep), connections });
  };
  run().catch((error: unknown) => answer.error(wireErrorOf(error)));
}

/** To backends, steps come from a client that can be asked for nothing: nobody waits at the other end of this request. */
function clientOf(gateway: Gateway, request: StatelessRequest, sendStep: WorkflowEdge['sendStep']): WorkflowClient {
  const { caller, envelope, answer, context, sender } = request;
  const { version, bundle } = gateway;
  const mute = new MuteCaller(caller);
  return {
    envelope,
    answer,
    identity: sender.identity,
    share: shareOf(context),
    record: context.record,
    canAsk: hasAnnounced(caller.capabilities, 'elicitation/create', '{}'),
    stepMeta: JSON.stringify({
      [META.protocolVersion]: caller.protocolVersion,
      [META.clientCapabilities]: {},
      [META.clientInfo]: caller.clientInfo,
    }),
    call: (destination, stepEnvelope, stepAnswer) =>
      sendStep(destination, {
        caller: mute,
        envelope: stepEnvelope,
        answer: stepAnswer,
        context,
        sender,
        isStep: true,
      }),
    result: members => completeResult({ name: bundle.server.name, version }, members),
  };
}

class MuteCaller implements StatelessCaller {
  readonly protocolVersion: string;
  readonly capabilities = {};
  readonly capabilitiesText = '{}';
  readonly clientInfo: StatelessCaller['clientInfo'];

  constructor({ protocolVersion, clientInfo }: StatelessCaller) {
    this.protocolVersion = protocolVersion;
    this.clientInfo = clientInfo;
  }
}
