import { JsonPatch, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { EXPECTATIONS_ANNOTATION, type VirtualMCPServerSpec } from '#schemas';
import { type AnyBackend, getInlinedBackend, type InlineBackend } from '../backend.ts';
import type { Caller } from '../caller.ts';
import { Grant, type Statement } from '../grants/grant.ts';
import { type GroupReference, listMembers } from '../group.ts';
import { checkProps } from '../known-props.ts';
import { captureCall, noteOrigin } from '../origins.ts';
import { addValidation } from '../problems.ts';
import { ConstructResource } from '../resource.ts';
import type { Tool, ToolSignatures } from '../tool.ts';
import { GatewayDraft, type OwnToolDefinition, type SharedToolDefinition, type UnfinishedStatement } from './draft.ts';
import type { Expectations } from './expectations.ts';
import { GATEWAY_PROPS, type GatewayProps } from './gateway-props.ts';
import type { Presentation } from './offer.ts';
import { ProvenanceNotes } from './provenance.ts';

/** The name of a grant in findings and answers. */
export interface GrantOptions {
  /** The id of the grant, unique in the gateway. Default: derived from the callers and the granted items. */
  readonly id?: string;
}

/**
 * One MCP endpoint for the backends of a group (`VirtualMCPServer`). It denies by default: clients are offered only what is exposed
 * or granted by name, and may do only what is granted.
 *
 * @example
 * const gateway = new Gateway(this, 'eng', { group: eng, incoming: Oidc.existing('corp').forAudience('eng') });
 * gateway.grant(Caller.group('eng')).call(github.tools.search);
 */
export class Gateway extends Construct {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly group: GroupReference;
  readonly #resource: ConstructResource;
  readonly #draft: GatewayDraft;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id);
    const call = captureCall(Gateway);
    checkProps('Gateway', props, GATEWAY_PROPS, new.target !== Gateway);
    this.name = props.name ?? id;
    this.namespace = props.namespace;
    this.group = props.group;
    this.#resource = new ConstructResource(this, 'VirtualMCPServer', this.name, props, () => this.#spec());
    this.#resource.metadata.addAnnotation(
      EXPECTATIONS_ANNOTATION,
      Lazy.any({ produce: () => this.#draft.expected() }) as unknown as string,
    );
    noteOrigin(this.#resource, '', call.at(2));
    noteOrigin(this.#resource, '/metadata/name', props.name === undefined ? call.at(1) : call.at(2, 'name'));
    const { default: fallback, backends = {} } = props.outgoing ?? {};
    this.#draft = new GatewayDraft({
      props,
      call,
      notes: new ProvenanceNotes((pointer, callSite) => noteOrigin(this.#resource, pointer, callSite)),
      members: () => listMembers(this.group),
      parts: [props.sessions, props.telemetry].flatMap(part => (part === undefined ? [] : [part.bind(this)])),
      credentials: {
        ...(fallback === undefined ? {} : { default: fallback.bind(this, 'default') }),
        backends: Object.entries(backends).map(([name, strategy]) => [name, strategy.bind(this, name)] as const),
      },
    });
    addValidation(this, () => this.#draft.problems());
  }

  /** The backends that the program knows: group members, and added ones. */
  get backends(): readonly AnyBackend[] {
    return this.#draft.backends;
  }

  /**
   * Adds a backend without an object of its own.
   * @example const notes = gateway.addBackend(Backend.inline({ name: 'notes', url: 'http://notes:8080/mcp', transport: 'streamable-http' }));
   */
  addBackend<T extends ToolSignatures>(backend: InlineBackend<T>): InlineBackend<T> {
    this.#draft.addBackend(backend, getInlinedBackend(backend));
    return backend;
  }

  /**
   * Offers tools, or all tools of a backend: those in its lock, or without a lock every tool that it has at run time. Once some tools of a
   * backend are exposed by name, it shows no others, for every value of `defaultToolVisibility`.
   */
  expose(...what: readonly [Tool | AnyBackend, ...(Tool | AnyBackend)[]]): this {
    const call = captureCall(Gateway.prototype.expose);
    for (const [index, value] of what.entries()) {
      if ('backend' in value) this.#draft.offer.expose(value, call.at(index));
      else this.#draft.offer.exposeAll(value, call.at(index));
    }
    return this;
  }

  /** Removes tools, or all tools of a backend, from lists, overriding `expose`. Workflows may still call them. */
  hide(...what: readonly [Tool | AnyBackend, ...(Tool | AnyBackend)[]]): this {
    const call = captureCall(Gateway.prototype.hide);
    for (const [index, value] of what.entries()) {
      if ('backend' in value) this.#draft.offer.hide(value, call.at(index));
      else this.#draft.offer.hideAll(value, call.at(index));
    }
    return this;
  }

  /**
   * Lets an MCPToolConfig decide which tools of a backend are offered, and under which names. The program does not know these names, so it
   * cannot grant the tools by name.
   *
   * @example
   * gateway.applyToolConfig(github, new MCPToolConfig(this, 'triage', { spec: { toolsFilter: ['search', 'list'] } }));
   */
  applyToolConfig(backend: AnyBackend, config: { readonly name: string }): this {
    this.#draft.offer.applyConfig(backend, config.name, captureCall(Gateway.prototype.applyToolConfig).at(1));
    return this;
  }

  /** Renames a tool before conflicts are resolved, and optionally changes its description. */
  rename(tool: Tool, name: string, presentation: Presentation = {}): this {
    const call = captureCall(Gateway.prototype.rename);
    this.#draft.offer.override(tool, { name, ...presentation }, call.at(), call.at(1));
    return this;
  }

  /** Replaces the description of a tool. */
  describe(tool: Tool, presentation: Presentation): this {
    this.#draft.offer.override(tool, presentation, captureCall(Gateway.prototype.describe).at(1));
    return this;
  }

  /** Begins a grant: `gateway.grant(Caller.group('eng')).call(…)`. */
  grant(caller: Caller, options: GrantOptions = {}): Grant {
    const callSite = captureCall(Gateway.prototype.grant).at();
    const missing = `grants nothing: add .call(…), .callAll(…), .get(…), .read(…) or .everything()`;
    return this.#grant('permit', caller, options, { verb: 'grant', missing, callSite });
  }

  /** Begins a prohibition, which takes precedence over every grant. */
  forbid(caller: Caller, options: GrantOptions = {}): Grant {
    const callSite = captureCall(Gateway.prototype.forbid).at();
    const missing = `forbids nothing: add .call(…), .callAll(…), .get(…), .read(…) or .everything()`;
    return this.#grant('forbid', caller, options, { verb: 'forbid', missing, callSite });
  }

  /** Adds a tool of the gateway's own. Workflows call this themselves. */
  addOwnTool(tool: OwnToolDefinition | SharedToolDefinition): void {
    this.#draft.addOwnTool(tool);
  }

  /**
   * Adds a Cedar policy that grants cannot express. The compiler checks it like any other.
   *
   * @example
   * gateway.addPolicy('forbid (principal, action, resource) when { context has arg_force && context.arg_force };');
   */
  addPolicy(cedar: string): this {
    this.#draft.addPolicy({ text: cedar, call: captureCall(Gateway.prototype.addPolicy) });
    return this;
  }

  /**
   * States what callers can and cannot do. Every compilation checks it, on any machine, and a violated expectation is an error.
   *
   * @example
   * gateway.expect(e => e.anonymous().reaches(0));
   * gateway.expect(e => e.caller({ groups: ['eng'] }).canCall(github.tools.search).cannotReach('github_delete_repo'));
   */
  expect(expectation: (e: Expectations) => unknown): this {
    const { expectations } = this.#draft;
    const before = expectations.all.length;
    expectation(expectations);
    if (expectations.all.length === before) {
      const missing = 'states no expectation: write expect(e => e.anonymous().reaches(0))';
      this.#draft.begin({ verb: 'expect', missing, callSite: captureCall(Gateway.prototype.expect).at() });
    }
    return this;
  }

  /**
   * The escape hatch: sets a field of the VirtualMCPServer without any check of this construct. The change is recorded: exposure reports show
   * it, and `lintel check` gives a hint.
   *
   * @param pointer RFC 6901, such as `/spec/config/operational/logLevel`; its parent must exist
   */
  override(pointer: `/${string}`, value: unknown): this {
    this.#resource.addJsonPatch(JsonPatch.add(pointer, value));
    noteOrigin(this.#resource, pointer, captureCall(Gateway.prototype.override).at(1));
    return this;
  }

  #grant(effect: Statement['effect'], caller: Caller, { id }: GrantOptions, begun: UnfinishedStatement): Grant {
    const end = this.#draft.begin(begun);
    let isNamed = false;
    return new Grant((granted, call) => {
      end();
      this.#draft.addStatement({ effect, caller, id: isNamed ? undefined : id, granted, call });
      isNamed = true;
    });
  }

  #spec(): VirtualMCPServerSpec {
    const problems = this.#draft.problems();
    if (problems.length > 0)
      throw new Error(problems.map(({ message }) => `[${this.node.path}] ${message}`).join('\n'));
    return this.#draft.spec();
  }
}
