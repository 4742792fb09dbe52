/** One run of a workflow for one client: calls of steps go out as calls of the client do, and time is that of the process. */
import type { ElicitationStep, WorkflowCall, WorkflowStep } from '#schemas';
import type { ClientAnswer } from '../../mcp/handler.ts';
import { progressTokenAt } from '../../mcp/progress-token.ts';
import { readEnvelope } from '../../mcp/read-envelope.ts';
import { WireError } from '../../mcp/wire-error.ts';
import type { BackendConnection } from '../connection.ts';
import type { Destination } from '../targets.ts';
import { requireAvailable } from '../targets.ts';
import type {
  ElicitationAnswer,
  FailureReason,
  RunState,
  StepState,
  ToolResult,
  WorkflowHost,
} from '../workflow/index.ts';
import { WorkflowError } from '../workflow/workflow-error.ts';
import type { WorkflowClient } from './client.ts';
import { elicitationAnswer, questionParams, unaskedAnswer } from './questions.ts';
import { type ServedWorkflow, toolKey } from './served-workflows.ts';
import { StepAnswer } from './step-answer.ts';

/** The events of a run while it goes on. */
export interface RunObserver {
  /** @param reason of a step that failed */
  stepChanged(step: WorkflowStep, state: Readonly<StepState>, reason: FailureReason | undefined): void;
  /** The answer to a call of a step, through what observes it; `tool` is its name as clients know it. */
  call(step: string, tool: string, answer: ClientAnswer): ClientAnswer;
}

/** A question that goes out with the answer of the client's request. */
export interface OpenQuestion {
  readonly step: string;
  /** Of `elicitation/create`, as JSON text. */
  readonly params: string;
}

export interface RunOptions {
  readonly id: string;
  readonly workflow: ServedWorkflow;
  readonly client: WorkflowClient;
  /** As the gateway had them when the run began. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  readonly observer: RunObserver;
  /** What the client has answered to the questions of an earlier part of the run, by step. */
  readonly answers?: ReadonlyMap<string, unknown>;
  /** Nothing is under way but these questions. */
  readonly onRest: (state: RunState, questions: readonly OpenQuestion[]) => void;
}

let calls = 0;

export class GatewayRun implements WorkflowHost {
  readonly id: string;
  readonly #options: RunOptions;
  readonly #running = new Set<string>();
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #progressToken: string | undefined;
  #ended = 0;
  #state: () => RunState = () => {
    throw new Error('the run has not begun');
  };

  constructor(options: RunOptions) {
    this.#options = options;
    this.id = options.id;
    const { meta } = options.client.envelope;
    this.#progressToken = meta?.says.text.startsWith('{') === true ? progressTokenAt(meta.says.text, 0) : undefined;
  }

  started(state: () => RunState): void {
    this.#state = state;
    this.#ended = Object.keys(state().steps).length;
  }

  async callTool(
    call: Pick<WorkflowCall, 'backend' | 'tool'>,
    args: Readonly<Record<string, unknown>>,
    step: string,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const { client, workflow, observer } = this.#options;
    const gathered = new StepAnswer(client.answer);
    const answer = observer.call(step, workflow.names.get(toolKey(call)) ?? call.tool, gathered);
    const stop = () => gathered.stop(signal.reason);
    try {
      const destination = this.#destinationOf(call);
      const params = { name: call.tool, arguments: args };
      const meta = client.stepMeta === undefined ? '' : `,"_meta":${client.stepMeta}`;
      const text = `{"jsonrpc":"2.0","id":"lintel-w${++calls}","method":"tools/call","params":${JSON.stringify(params).slice(0, -1)}${meta}}}`;
      signal.addEventListener('abort', stop, { once: true });
      client.call({ ...destination, paramHeaders: workflow.headers.get(toolKey(call)) }, readEnvelope(text), answer);
    } catch (error) {
      if (error instanceof WireError) answer.error(error);
      else gathered.stop(error);
    }
    try {
      return await gathered.result$;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #destinationOf({ backend, tool }: Pick<WorkflowCall, 'backend' | 'tool'>): Omit<Destination, 'paramHeaders'> {
    const connection = this.#options.connections.get(backend);
    if (connection === undefined) throw new WorkflowError(`there is no backend "${backend}"`, 'unknown_backend');
    requireAvailable(connection);
    return { connection, originalName: tool };
  }

  async elicit(
    message: string,
    schema: ElicitationStep['schema'],
    id: string,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer> {
    const { client, workflow, answers } = this.#options;
    if (answers?.has(id) === true) return elicitationAnswer(answers.get(id));
    if (!client.canAsk) {
      const step = workflow.plan.steps.find(one => one.id === id) as ElicitationStep;
      const unasked = unaskedAnswer(step);
      if (unasked !== undefined) return unasked;
      throw new WorkflowError('the client cannot be asked', 'cannot_ask');
    }
    const params = questionParams(message, schema);
    if (client.ask !== undefined) return client.ask(params, signal);
    const { promise, reject } = Promise.withResolvers<never>();
    this.#questions.set(id, { step: id, params });
    const stop = () => {
      this.#questions.delete(id);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#lookForRest();
    return promise;
  }

  stepChanged(step: WorkflowStep, state: Readonly<StepState>, reason?: FailureReason): void {
    if (state.status === 'running') this.#running.add(step.id);
    else {
      this.#running.delete(step.id);
      this.#ended += 1;
      this.#tellProgress(step);
    }
    this.#options.observer.stepChanged(step, state, reason);
    this.#lookForRest();
  }

  /** Steps that may start now do so in this turn of the event loop. */
  #lookForRest(): void {
    if (this.#questions.size === 0) return;
    setImmediate(() => {
      const { size } = this.#questions;
      if (size === 0 || size !== this.#running.size) return;
      const questions = [...this.#questions.values()];
      this.#options.onRest(this.#state(), questions);
    });
  }

  #tellProgress({ id }: WorkflowStep): void {
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
