/** Workflows of stateless clients: each request carries all information about its client. */
import type { ParamHeader } from '#shared/plan';
import { hasAnnounced } from '../../mcp/client-traits.ts';
import { META } from '../../mcp/meta-keys.ts';
import { getShareKey } from '../../mcp/share-key.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { formatResultMembers } from '../../mcp/stateless/result.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { requireCurrentAuth } from '../backends/sender.ts';
import type { Limit } from '../limits/limit.ts';
import type { ServedWorkflow } from '../routing/served-workflows.ts';
import type { Destination } from '../routing/targets.ts';
import { toWireError } from '../routing/to-wire-error.ts';
import type { WorkflowClient } from '../workflow/client.ts';
import { formatQuestionKey } from '../workflow/questions.ts';
import type { SuspendedRun } from '../workflow/run.ts';
import type { StateOwner } from '../workflow/sealed-state.ts';
import { digestArguments } from './arguments-digest.ts';
import type { StatelessRequest } from './relay.ts';
import { createUnknownState, readInputResponses, readRequestState } from './rounds/input-responses.ts';
import type { StatelessGateway } from './stateless-gateway.ts';

export interface WorkflowEdge {
  /** Sends the call of a step as that of the client. */
  readonly sendStep: (destination: Destination, request: StatelessRequest) => void;
  /** The answer to a client that has reached a limit. */
  readonly limited: (limit: Limit) => WireError;
}

/** Runs a workflow, which costs one token of the rate limits, and none for its steps, or continues one whose client returns with answers. */
export function callWorkflow(
  gateway: StatelessGateway,
  workflow: ServedWorkflow,
  request: StatelessRequest,
  { sendStep, limited }: WorkflowEdge,
): void {
  const { answer, envelope, sender } = request;
  const client = createClient(gateway, request, sendStep);
  const requestState = readRequestState(envelope);
  const begin = async (): Promise<void> => {
    const limit = gateway.limits.take(workflow.name, sender.identity);
    const reached = limit instanceof Promise ? await limit : limit;
    if (answer.aborted) return;
    requireCurrentAuth(sender);
    if (reached !== undefined) throw limited(reached);
    const { connections } = gateway;
    const onRest = (rest: SuspendedRun) => askClient(gateway, workflow, request, rest);
    await gateway.workflows.run({ workflow, client, connections, onRest });
  };
  const goOn = async (secret: string): Promise<void> => {
    const storedRun = await gateway.workflows.waiting.take(secret, getOwner(workflow, request));
    if (storedRun === undefined) throw createUnknownState();
    requireCurrentAuth(sender);
    const { connections } = gateway;
    const { state, askedCalls, plan, headers } = JSON.parse(storedRun) as StoredRun;
    // The run ends under the plan that it began with.
    const previous = { ...workflow, plan, headers: new Map(headers) };
    const asked = collectAskedKeys(state, askedCalls);
    // An answer to a question that is not open is ignored, because no person has seen the question.
    const answers = new Map(
      [...readInputResponses(envelope.text, envelope.params ?? { start: 0, end: 0 })]
        .filter(([key]) => asked.has(key))
        .map(([key, json]) => [key, JSON.parse(json) as unknown]),
    );
    const onRest = (rest: SuspendedRun) => askClient(gateway, previous, request, rest);
    const before = { state, askedCalls, answers };
    await gateway.workflows.run({ workflow: previous, client, connections, rest: before, onRest });
  };
  (requestState === undefined ? begin() : goOn(requestState)).catch((error: unknown) =>
    answer.error(toWireError(error)),
  );
}

/**
 * How long a run is stored after the time limit of people's answers, in milliseconds: if the client does not return, the run continues without
 * answers.
 */
const LATE_MS = 60_000;

interface StoredRun extends Pick<SuspendedRun, 'state' | 'askedCalls'> {
  readonly plan: ServedWorkflow['plan'];
  readonly headers: readonly (readonly [string, readonly ParamHeader[]])[];
}

function getOwner({ name }: ServedWorkflow, { envelope, sender }: StatelessRequest): StateOwner {
  return { owner: sender.identity.key, workflow: name, about: digestArguments(envelope.text) };
}

/** The keys of the client's answers: the steps with questions, and backends' questions during a call. */
function collectAskedKeys(state: SuspendedRun['state'], askedCalls: SuspendedRun['askedCalls']): ReadonlySet<string> {
  const ofBackends = Object.values(askedCalls).flatMap(({ keys }) => Object.keys(keys));
  return new Set([...Object.keys(state.asked).map(formatQuestionKey), ...ofBackends]);
}

/** Answers with the questions of a paused run, which is stored until the client returns. */
async function askClient(
  gateway: StatelessGateway,
  workflow: ServedWorkflow,
  request: StatelessRequest,
  { state, questions, askedCalls }: SuspendedRun,
): Promise<void> {
  const { answer, context } = request;
  const { plan, headers } = workflow;
  const now = Date.now();
  const findTimeout = (step: string) => plan.steps.find(({ id }) => id === step)?.timeoutMs ?? 0;
  const since = [...Object.entries(state.asked), ...Object.keys(askedCalls).map(step => [step, now] as const)];
  const asked = since.map(([step, at]) => at + findTimeout(step) - now + LATE_MS);
  const ttlMs = Math.max(1, Math.min(Math.max(...asked), state.startedAt + plan.timeoutMs - now));
  const storedRun: StoredRun = { state, askedCalls, plan, headers: [...headers] };
  const requestState = await gateway.workflows.waiting.hold(JSON.stringify(storedRun), getOwner(workflow, request), {
    share: getShareKey(context),
    ttlMs,
    onExpired: gateway.workflows.recordExpiry(workflow, state, context.record),
  });
  if (requestState === undefined) {
    answer.error(
      new WireError(
        WIRE_CODE.internalError,
        'the workflow cannot wait for an answer: too many workflows wait, or its state is too large',
        {
          httpStatus: 503,
          data: { reason: 'busy' },
        },
      ),
    );
    return;
  }
  const inputRequests = questions.map(
    ({ key, method, params }) => `${JSON.stringify(key)}:{"method":${JSON.stringify(method)},"params":${params}}`,
  );
  answer.result(
    `{"resultType":"input_required","inputRequests":{${inputRequests.join(',')}},"requestState":"${requestState}"}`,
  );
}

/** If a step may not send questions to the client, its backend sees a client without capabilities. */
function createClient(
  gateway: StatelessGateway,
  request: StatelessRequest,
  sendStep: WorkflowEdge['sendStep'],
): WorkflowClient {
  const { caller, envelope, answer, context, sender } = request;
  const { version, bundle } = gateway;
  const mute = new MuteCaller(caller);
  return {
    envelope,
    answer,
    identity: sender.identity,
    share: getShareKey(context),
    record: context.record,
    canAsk: hasAnnounced(caller.capabilities, 'elicitation/create', '{}'),
    stepMeta: mayAsk =>
      JSON.stringify({
        [META.protocolVersion]: caller.protocolVersion,
        [META.clientCapabilities]: mayAsk ? caller.capabilities : {},
        [META.clientInfo]: caller.clientInfo,
      }),
    call: (destination, stepEnvelope, stepAnswer, mayAsk) =>
      sendStep(destination, {
        caller: mayAsk ? caller : mute,
        envelope: stepEnvelope,
        answer: stepAnswer,
        context,
        sender,
        isStep: true,
      }),
    common: formatResultMembers({ name: bundle.server.name, version }),
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
