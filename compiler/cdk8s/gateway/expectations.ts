import type { OwnTool } from '../grants/grant.ts';
import { type Call, type CallSite, captureCall } from '../origins.ts';
import type { ConstructProblem } from '../problems.ts';
import type { Tool } from '../tool.ts';
import type { ProvenanceNotes } from './provenance.ts';
import type { NameResult, ToolNaming } from './tool-naming.ts';

/** Claims of a token, as an identity provider gives them. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** A tool, or a name as clients see it, which may be one that must not exist. */
export type ExpectedTool = Tool | OwnTool | string;

interface ExpectedValue<T> {
  readonly value: T;
  readonly callSite: CallSite;
}

/** What some callers are expected to reach. Every compilation checks it and reports an error when it does not hold. */
export class CallerExpectation {
  readonly #caller: 'anonymous' | TokenClaims;
  readonly #call: Call;
  readonly #canCall: ExpectedValue<ExpectedTool>[] = [];
  readonly #cannotReach: ExpectedValue<ExpectedTool>[] = [];
  #reaches: ExpectedValue<number> | undefined;

  /** Use `gateway.expect`. */
  constructor(caller: 'anonymous' | TokenClaims, call: Call) {
    this.#caller = caller;
    this.#call = call;
  }

  /** Expects that the callers may call each of these tools. */
  canCall(...tools: readonly [ExpectedTool, ...ExpectedTool[]]): this {
    const call = captureCall(CallerExpectation.prototype.canCall);
    for (const [index, value] of tools.entries()) this.#canCall.push({ value, callSite: call.at(index) });
    return this;
  }

  /** Expects that the callers can reach none of these tools, neither directly nor through a workflow. */
  cannotReach(...tools: readonly [ExpectedTool, ...ExpectedTool[]]): this {
    const call = captureCall(CallerExpectation.prototype.cannotReach);
    for (const [index, value] of tools.entries()) this.#cannotReach.push({ value, callSite: call.at(index) });
    return this;
  }

  /** Expects that the callers reach exactly this many tools, including workflows and the tools that these call. */
  reaches(count: number): this {
    this.#reaches = { value: count, callSite: captureCall(CallerExpectation.prototype.reaches).at(0) };
    return this;
  }

  /** Problems of the expectation, such as saying nothing. */
  problems(naming: ToolNaming): readonly ConstructProblem[] {
    const tools = [...this.#canCall, ...this.#cannotReach];
    if (tools.length === 0 && this.#reaches === undefined) {
      const verb = this.#caller === 'anonymous' ? 'anonymous' : 'caller';
      const message = `\`${verb}\` without an expectation: add .canCall(…), .cannotReach(…) or .reaches(…)`;
      return [{ message, callSite: this.#call.at() }];
    }
    return tools.flatMap(({ value, callSite }) => {
      const named = toNamed(value, naming);
      return 'problem' in named ? [{ message: named.problem, callSite }] : [];
    });
  }

  /** The expectation in the compiler's format. */
  render(naming: ToolNaming, at: readonly (string | number)[], notes: ProvenanceNotes): object {
    notes.add(at, this.#call.at());
    const listed = (name: string, tools: readonly ExpectedValue<ExpectedTool>[]) => {
      for (const [index, { callSite }] of tools.entries()) notes.add([...at, name, index], callSite);
      return tools.length === 0 ? {} : { [name]: tools.flatMap(({ value }) => nameIn(toNamed(value, naming))) };
    };
    if (this.#reaches !== undefined) notes.add([...at, 'reaches'], this.#reaches.callSite);
    return {
      caller: this.#caller,
      ...listed('canCall', this.#canCall),
      ...listed('cannotReach', this.#cannotReach),
      ...(this.#reaches === undefined ? {} : { reaches: this.#reaches.value }),
    };
  }
}

/** Begins expectations: `gateway.expect(e => e.anonymous().reaches(0))`. */
export class Expectations {
  readonly #all: CallerExpectation[] = [];

  /** Expectations about callers without a token. */
  anonymous(): CallerExpectation {
    return this.#added(new CallerExpectation('anonymous', captureCall(Expectations.prototype.anonymous)));
  }

  /** Expectations about callers with these claims in their tokens, such as `{ groups: ['eng'] }`. */
  caller(claims: TokenClaims): CallerExpectation {
    return this.#added(new CallerExpectation(claims, captureCall(Expectations.prototype.caller)));
  }

  /** For internal use: the expectations so far. */
  get all(): readonly CallerExpectation[] {
    return [...this.#all];
  }

  #added(expectation: CallerExpectation): CallerExpectation {
    this.#all.push(expectation);
    return expectation;
  }
}

function toNamed(tool: ExpectedTool, naming: ToolNaming): NameResult {
  if (typeof tool === 'string') return { name: tool };
  return 'toolName' in tool ? { name: tool.toolName } : naming.tool(tool);
}

function nameIn(named: NameResult): readonly string[] {
  return 'name' in named ? [named.name] : [];
}
