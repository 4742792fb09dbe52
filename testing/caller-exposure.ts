import {
  type AccessAnswer,
  decideAccess,
  type EvaluationContext,
  findClientName,
  findTimeClaim,
  type GatewayModel,
  listReachedTools,
  listUnspecifiedClaims,
  type ReachedTools,
  renderAnswerText,
  suggestName,
  type ToolOfBackend,
} from '#compiler';
import { findNearest } from '#shared/util';

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A tool or workflow by the name that clients see, or by its object in a program: `github.tools.search`. */
export type NamedTool = string | ToolOfBackend | { readonly toolName: string };

/** The access of one caller. An expectation that does not hold throws an error; otherwise it returns the same caller, for chaining. */
export class CallerExposure {
  readonly #gateway: string;
  readonly #model: GatewayModel;
  readonly #claims: Claims | undefined;
  readonly #context: EvaluationContext;

  /** @param claims undefined for a caller without a token */
  constructor(gateway: string, model: GatewayModel, claims: Claims | undefined, context: EvaluationContext) {
    this.#gateway = gateway;
    this.#model = model;
    this.#claims = claims;
    this.#context = context;
  }

  /**
   * Expects that the caller may call a tool or workflow.
   *
   * @param args arguments that policies read; none when not given
   */
  canCall(tool: NamedTool, args?: Arguments): this {
    return this.#checkAllowed('call_tool', this.#resolveName(tool), args);
  }

  /** Expects that the call is refused. It throws for an unknown name; {@link cannotReach} accepts one. */
  cannotCall(tool: NamedTool, args?: Arguments): this {
    const name = this.#resolveName(tool);
    const answer = this.#ask('call_tool', name, args);
    if (answer === undefined) throw this.#createUnknownError('tool', name);
    if (answer.decision === 'denied') return this;
    throw this.#createFailedError(`may not call ${name}`, renderAnswerText(answer));
  }

  /** Expects that the caller may get a prompt. */
  canGet(prompt: string): this {
    return this.#checkAllowed('get_prompt', prompt, undefined);
  }

  /** Expects that the caller may read a resource. */
  canRead(uri: string): this {
    return this.#checkAllowed('read_resource', uri, undefined);
  }

  /**
   * Expects that the caller cannot reach a tool: neither by a call with any arguments, nor through a workflow that it may call. A tool
   * that the gateway does not have counts as unreachable, but a misspelling of an existing tool's name throws an error, and so does the
   * backend's own name of such a tool.
   */
  cannotReach(tool: NamedTool): this {
    const name = this.#resolveName(tool);
    const reached = this.#listReached();
    const way = reached.ways.get(name);
    if (way !== undefined)
      throw this.#createFailedError(
        `cannot reach ${name}`,
        way === name ? 'the policies permit the call' : `it may call ${way}, which calls the tool`,
      );
    const mistaken = suggestName(this.#model, name, reached.ways.keys());
    if (mistaken !== undefined)
      throw this.#createFailedError(`cannot reach "${name}"`, mistaken.message.replace(/^which/, 'that'));
    if (reached.mayReach(name)) throw this.#createFailedError(`cannot reach ${name}`, UNLOCKED);
    return this;
  }

  /** Expects the number of tools that the caller reaches, including workflows and the tools that workflows call. */
  reaches(count: number): this {
    const names = this.reachable();
    if (names.length === count) return this;
    throw this.#createFailedError(
      `reaches ${count} tools`,
      `it reaches ${names.length}${names.length === 0 ? '' : `: ${names.join(', ')}`}`,
    );
  }

  /** The tools that the caller reaches, sorted, for snapshot tests. */
  reachable(): readonly string[] {
    const { ways, mayBeMore } = this.#listReached();
    if (mayBeMore) throw this.#createFailedError('is checked', UNLOCKED);
    return [...ways.keys()].sort();
  }

  #checkAllowed(action: AccessAnswer['action'], name: string, args: Arguments | undefined): this {
    const answer = this.#ask(action, name, args);
    if (answer === undefined) throw this.#createUnknownError(KINDS[action], name);
    if (answer.decision === 'allowed') return this;
    throw this.#createFailedError(`may ${VERBS[action]} ${name}`, renderAnswerText(answer));
  }

  /** Asks what the caller may do; undefined for an unknown name. */
  #ask(action: AccessAnswer['action'], name: string, args: Arguments | undefined): AccessAnswer | undefined {
    this.#checkClaims();
    const question = { action, name, args, claims: this.#claims };
    const answer = decideAccess(this.#model, question, this.#context);
    return answer.decision === 'no-such-name' ? undefined : answer;
  }

  #listReached(): ReachedTools {
    this.#checkClaims();
    const reached = listReachedTools(this.#model, this.#claims, this.#context);
    if (reached === undefined)
      throw this.#createFailedError('is checked', 'the policies of the gateway are not in the specs');
    return reached;
  }

  #resolveName(tool: NamedTool): string {
    if (typeof tool === 'string') return tool;
    if ('toolName' in tool) return tool.toolName;
    const name = findClientName(this.#model, tool);
    if (name === undefined) throw new ExposureError(`${this.#gateway} has no tool "${tool.name}" of "${tool.backend}"`);
    return name;
  }

  /** @throws ExposureError when it is unknown how policies decide about the caller */
  #checkClaims(): void {
    const time = this.#claims === undefined ? undefined : findTimeClaim(this.#claims);
    if (time !== undefined)
      throw this.#createFailedError('is checked', `${time} would make the result depend on the day`);
    const unsaid = listUnspecifiedClaims(this.#model, this.#claims, this.#context);
    if (unsaid.length === 0) return;
    const names = unsaid.join(', ');
    throw this.#createFailedError(
      'is checked',
      `policies look at ${names}, which every token has: add it to the claims of the caller`,
    );
  }

  #createUnknownError(kind: string, name: string): Error {
    const near = findNearest(
      name,
      [...this.#model.tools, ...this.#model.composites].map(value => value.name),
    );
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return new ExposureError(`${this.#gateway} has no ${kind} "${name}"${hint}`);
  }

  #createFailedError(expected: string, found: string): Error {
    const caller = this.#claims === undefined ? 'an anonymous caller' : `a caller with ${JSON.stringify(this.#claims)}`;
    return new ExposureError(`expected of ${this.#gateway} that ${caller} ${expected}: ${found}`);
  }
}

/** An expectation about an exposure failed. */
export class ExposureError extends Error {
  override readonly name = 'ExposureError';
}

const UNLOCKED = 'the tools of its backends are not all in the tool lock: run `lintel lock`';

const VERBS = { call_tool: 'call', get_prompt: 'get', read_resource: 'read' } as const;
const KINDS = { call_tool: 'tool', get_prompt: 'prompt', read_resource: 'resource' } as const;
