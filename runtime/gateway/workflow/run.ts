/** One run of a workflow for one client: it sends calls of steps like calls of the client, and measures time by the clock of the process. */
import type { ElicitationStep, WorkflowCall, WorkflowStep } from '#schemas';
import type { AbortSource } from '#shared/util';
import type { ClientResponder } from '../../mcp/handler.ts';
import { readProgressTokenAt } from '../../mcp/progress-token.ts';
import { readEnvelope } from '../../mcp/read-envelope.ts';
import { WireError } from '../../mcp/wire-error.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { formatToolKey, type ServedWorkflow } from '../routing/served-workflows.ts';
import type { Destination } from '../routing/targets.ts';
import { requireAvailable } from '../routing/targets.ts';
import type { WorkflowClient } from './client.ts';
import type {
  ElicitationResult,
  FailureReason,
  RunState,
  StepDetail,
  StepState,
  ToolResult,
  WorkflowHost,
} from './engine/index.ts';
import { WorkflowError } from './engine/workflow-error.ts';
import {
  chooseDefaultResult,
  formatElicitationParams,
  formatQuestionKey,
  parseElicitationResult,
} from './questions.ts';
import { StepResponder } from './step-responder.ts';

/** Receives the events of a run. */
export interface RunObserver {
  /** @param reason the reason of a failed step */
  stepChanged(
    step: WorkflowStep,
    state: Readonly<StepState>,
    reason: FailureReason | undefined,
    detail: StepDetail,
  ): void;
  /** The sink of a step's call, with its observers; `tool` is the tool's name for clients. */
  call(step: string, tool: string, answer: ClientResponder): ClientResponder;
}

/** A question that is sent with the answer to the client's request. */
export interface PendingInput {
  readonly step: string;
  /** The key with which the client answers the question. */
  readonly key: string;
  readonly method: string;
  /** The params of the question as JSON text. */
  readonly params: string;
}

/** A step's call that waits for the client's answer to a question of its backend. */
export interface SuspendedStepCall {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The `requestState` of the backend, or of the gateway in place of the backend. */
  readonly requestState?: string | undefined;
  /** The backend's keys of its questions, by the gateway's keys. */
  readonly keys: Readonly<Record<string, string>>;
}

/** A run that is paused because only questions are open. */
export interface SuspendedRun {
  readonly state: RunState;
  readonly questions: readonly PendingInput[];
  /** Suspended calls, by the id of their step. */
  readonly askedCalls: Readonly<Record<string, SuspendedStepCall>>;
}

export interface RunOptions {
  readonly id: string;
  readonly workflow: ServedWorkflow;
  readonly client: WorkflowClient;
  /** The gateway's connections at the start of the run. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  readonly observer: RunObserver;
  /** The client's answers to the questions that the paused run sent, by their keys. */
  readonly answers?: ReadonlyMap<string, unknown>;
  /** Calls whose backends wait for these answers, by step. */
  readonly askedCalls?: Readonly<Record<string, SuspendedStepCall>>;
  /** Called when the run is paused because only questions are open. */
  readonly onRest: (rest: SuspendedRun) => void;
}

let calls = 0;

/** The params of a call other than the name of its tool. */
interface CallParams {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
}

/** A result that requires input of the client (revision 2026-07-28). */
interface InputRequired {
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly requestState?: string;
}

function isInputRequired(result: ToolResult): result is ToolResult & InputRequired {
  return (result as { readonly resultType?: unknown }).resultType === 'input_required';
}

export class GatewayRun implements WorkflowHost {
  readonly id: string;
  readonly #options: RunOptions;
  readonly #running = new Set<string>();
  /** Open questions, by the id of their step. */
  readonly #pendingInputs = new Map<string, readonly PendingInput[]>();
  readonly #askedCalls = new Map<string, SuspendedStepCall>();
  /** Calls that were waiting for the client when the run was paused, by step, until each continues; a further attempt is a new call. */
  readonly #askedBefore: Map<string, SuspendedStepCall>;
  readonly #progressToken: string | undefined;
  #ended = 0;
  /** Whether the run is paused: the client continues it with another request, and steps that stop now have not ended. */
  #isAtRest = false;
  #state: () => RunState = () => {
    throw new Error('the run has not begun');
  };

  constructor(options: RunOptions) {
    this.#options = options;
    this.id = options.id;
    this.#askedBefore = new Map(options.askedCalls && Object.entries(options.askedCalls));
    const { meta } = options.client.envelope;
    this.#progressToken =
      meta?.content.text.startsWith('{') === true ? readProgressTokenAt(meta.content.text, 0) : undefined;
  }

  started(state: () => RunState): void {
    this.#state = state;
    if (this.#options.answers !== undefined) this.#ended = Object.keys(state().steps).length;
  }

  async callTool(
    call: Pick<WorkflowCall, 'backend' | 'tool'>,
    args: Readonly<Record<string, unknown>>,
    step: string,
    signal: AbortSource,
  ): Promise<ToolResult> {
    const { client, workflow } = this.#options;
    const asked = this.#askedBefore.get(step);
    this.#askedBefore.delete(step);
    let attempt: CallParams = asked === undefined ? { arguments: args } : this.#buildAnswered(asked);
    // A repeated step cannot be paused: it would start again, and repeat its calls.
    const isRepeated = workflow.plan.steps.some(({ id, type }) => id === step && type === 'forEach');
    const mayAsk = client.ask === undefined && !isRepeated;
    for (;;) {
      const result = await this.#send(call, attempt, step, mayAsk, signal);
      if (!isInputRequired(result)) return result;
      if (!mayAsk) throw new WorkflowError('the tool asks for input, which this step cannot give', 'cannot_ask');
      attempt = await this.#askFor(result, attempt, step, signal);
    }
  }

  async #send(
    call: Pick<WorkflowCall, 'backend' | 'tool'>,
    attempt: CallParams,
    step: string,
    mayAsk: boolean,
    signal: AbortSource,
  ): Promise<ToolResult> {
    const { client, workflow, observer } = this.#options;
    const key = formatToolKey(call);
    const stepResponder = new StepResponder(client.answer);
    const answer = observer.call(step, workflow.names.get(key) ?? call.tool, stepResponder);
    const onAbort = { handleEvent: () => stepResponder.stop(signal.reason) };
    try {
      const destination = this.#resolveDestination(call, workflow.headers.get(key));
      const ofClient = client.stepMeta(mayAsk);
      const meta = ofClient === undefined ? '' : `,"_meta":${ofClient}`;
      const params = JSON.stringify({ name: call.tool, ...attempt }).slice(0, -1);
      const text = `{"jsonrpc":"2.0","id":"lintel-w${++calls}","method":"tools/call","params":${params}${meta}}}`;
      signal.addEventListener('abort', onAbort);
      client.call(destination, readEnvelope(text), answer, mayAsk);
    } catch (error) {
      if (error instanceof WireError) answer.error(error);
      else stepResponder.stop(error);
    }
    try {
      return await stepResponder.result$;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Sends a backend's question to the client, which answers with another request: the run is paused before that. */
  #askFor(
    { inputRequests = {}, requestState }: InputRequired,
    { arguments: args }: CallParams,
    step: string,
    signal: AbortSource,
  ): Promise<never> {
    const asked = Object.entries(inputRequests).map(([name, request]) => ({
      ...request,
      name,
      key: `${formatQuestionKey(step)}/${name}`,
    }));
    const keys = Object.fromEntries(asked.map(({ key, name }) => [key, name]));
    this.#askedCalls.set(step, { arguments: args, requestState, keys });
    const questions = asked.map(({ key, method, params = {} }) => ({
      step,
      key,
      method,
      params: JSON.stringify(params),
    }));
    return this.#waitUntilAnswered(step, questions, signal);
  }

  #buildAnswered({ arguments: args, requestState, keys }: SuspendedStepCall): CallParams {
    const answers = this.#options.answers ?? new Map<string, unknown>();
    const namedAnswers = Object.entries(keys).flatMap(([key, name]) =>
      answers.has(key) ? [[name, answers.get(key)]] : [],
    );
    const state = requestState === undefined ? {} : { requestState };
    return { arguments: args, ...state, inputResponses: Object.fromEntries(namedAnswers) };
  }

  /** Never resolves, because the client answers with another request. */
  async #waitUntilAnswered(step: string, questions: readonly PendingInput[], signal: AbortSource): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#pendingInputs.set(step, questions);
    const onAbort = {
      handleEvent: () => {
        this.#pendingInputs.delete(step);
        this.#askedCalls.delete(step);
        reject(signal.reason);
      },
    };
    if (signal.aborted) onAbort.handleEvent();
    else signal.addEventListener('abort', onAbort);
    this.#lookForRest();
    return promise;
  }

  #resolveDestination(
    { backend, tool }: Pick<WorkflowCall, 'backend' | 'tool'>,
    paramHeaders: Destination['paramHeaders'],
  ): Destination {
    const connection = this.#options.connections.get(backend);
    if (connection === undefined) throw new WorkflowError(`there is no backend "${backend}"`, 'unknown_backend');
    requireAvailable(connection);
    return { connection, originalName: tool, paramHeaders };
  }

  async elicit(
    message: string,
    schema: ElicitationStep['schema'],
    id: string,
    signal: AbortSource,
  ): Promise<ElicitationResult> {
    const { client, workflow, answers } = this.#options;
    const key = formatQuestionKey(id);
    if (answers?.has(key) === true) return parseElicitationResult(answers.get(key));
    if (!client.canAsk) {
      const step = workflow.plan.steps.find(value => value.id === id) as ElicitationStep;
      const defaultResult = chooseDefaultResult(step);
      if (defaultResult !== undefined) return defaultResult;
      throw new WorkflowError('the client cannot show questions', 'cannot_ask');
    }
    const params = formatElicitationParams(message, schema);
    if (client.ask !== undefined) return client.ask(params, signal);
    return this.#waitUntilAnswered(id, [{ step: id, key, method: 'elicitation/create', params }], signal);
  }

  stepChanged(
    step: WorkflowStep,
    state: Readonly<StepState>,
    reason: FailureReason | undefined,
    detail: StepDetail,
  ): void {
    if (state.status === 'running') this.#running.add(step.id);
    else {
      this.#running.delete(step.id);
      this.#ended += 1;
      if (!this.#isAtRest) this.#reportProgress(step);
    }
    this.#options.observer.stepChanged(step, state, reason, detail);
    this.#lookForRest();
  }

  /**
   * Reports that the run is paused when every running step waits for input. Checked after this turn of the event loop, in which further steps may
   * start.
   */
  #lookForRest(): void {
    if (this.#pendingInputs.size === 0) return;
    setImmediate(() => {
      const { size } = this.#pendingInputs;
      if (size === 0 || size !== this.#running.size) return;
      this.#isAtRest = true;
      const questions = [...this.#pendingInputs.values()].flat();
      this.#options.onRest({ state: this.#state(), questions, askedCalls: Object.fromEntries(this.#askedCalls) });
    });
  }

  #reportProgress({ id }: WorkflowStep): void {
    const { client, workflow } = this.#options;
    if (this.#progressToken === undefined) return;
    const rest = JSON.stringify({ progress: this.#ended, total: workflow.plan.steps.length, message: id }).slice(1);
    client.answer.message(
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${this.#progressToken},${rest}}`,
    );
  }

  now(): number {
    return Date.now();
  }

  after(milliseconds: number, then: () => void): () => void {
    const timer = setTimeout(then, milliseconds);
    return () => clearTimeout(timer);
  }

  random(): number {
    return Math.random();
  }
}
