import { JsonPatch, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { EXPECTATIONS_ANNOTATION, type GatewayConfig, type VirtualMCPServerSpec } from '#schemas';
import { type AnyBackend, type InlineBackend, writtenOut } from '../backend.ts';
import type { Caller } from '../caller.ts';
import { Conflicts } from '../conflicts.ts';
import { Grant, type OwnTool, type Statement, type WrittenPolicy } from '../grants/grant.ts';
import { NOTHING_PERMITTED } from '../grants/policy.ts';
import { type GroupReference, membersOf } from '../group.ts';
import type { IncomingParts } from '../incoming.ts';
import { type Call, callOf, type Given, noteOrigin } from '../origins.ts';
import type { BoundStrategy } from '../outgoing.ts';
import type { BoundPart } from '../part.ts';
import { Resource } from '../resource.ts';
import type { Tool, ToolSignatures } from '../tool.ts';
import { nameCollisions } from './collisions.ts';
import { Expectations } from './expectations.ts';
import { type GatewayProps, plainConfig, plainSpec } from './gateway-props.ts';
import { Notes } from './notes.ts';
import { Offer, type Presentation } from './offer.ts';
import { type RenderedPolicies, renderStatements } from './statements.ts';
import { ToolNaming } from './tool-naming.ts';

/** How a grant is called in findings and answers. */
export interface GrantOptions {
  /** Unique in the gateway. Default: made of who is meant and of what is granted. */
  readonly id?: string;
}

/** A tool that the gateway has of its own: what workflows give to it. */
export interface OwnToolDefinition extends OwnTool {
  /** Asked when the program is synthesized. */
  render(): NonNullable<GatewayConfig['compositeTools']>[number];
  /** Places inside of what is rendered; pointers from the root of the composite tool. */
  origins(): readonly { readonly pointer: string; readonly given: Given }[];
}

/** A tool that is defined in an object of its own (`VirtualMCPCompositeToolDefinition`), for several gateways. */
export interface SharedToolDefinition extends OwnTool {
  readonly objectName: string;
}

/**
 * One MCP endpoint for the backends of a group (`VirtualMCPServer`). It denies by default: clients are offered only what is exposed
 * or granted by name, and may do only what is granted.
 *
 * @example
 * const gateway = new Gateway(this, 'eng', { group: eng, incoming: Oidc.existing('corp', { audience: 'eng' }) });
 * gateway.grant(Caller.group('eng')).call(github.tools.search);
 */
export class Gateway extends Construct {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly group: GroupReference;
  readonly #props: GatewayProps;
  readonly #conflicts: Conflicts;
  readonly #call: Call;
  readonly #inline: AnyBackend[] = [];
  readonly #offer = new Offer();
  readonly #statements: (Statement | WrittenPolicy)[] = [];
  readonly #expectations = new Expectations();
  readonly #ownTools: OwnToolDefinition[] = [];
  readonly #sharedTools: SharedToolDefinition[] = [];
  readonly #resource: Resource;
  readonly #notes: Notes;
  readonly #parts: readonly BoundPart[];
  readonly #credentials: ReadonlyMap<string, BoundStrategy>;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id);
    const call = callOf(Gateway);
    this.#call = call;
    this.#props = props;
    this.name = props.name ?? id;
    this.namespace = props.namespace;
    this.group = props.group;
    this.#conflicts = props.conflicts ?? Conflicts.prefix();
    this.#resource = new Resource(this, 'VirtualMCPServer', this.name, props, () => this.#spec());
    this.#notes = new Notes(() => this.#resource);
    this.#resource.metadata.addAnnotation(
      EXPECTATIONS_ANNOTATION,
      Lazy.any({ produce: () => this.#expected() }) as unknown as string,
    );
    noteOrigin(this.#resource, '', call.at(2));
    noteOrigin(this.#resource, '/metadata/name', props.name === undefined ? call.at(1) : call.at(2, 'name'));
    this.#parts = [props.sessions, props.telemetry].flatMap(part => (part === undefined ? [] : [part.bind(this)]));
    const { default: fallback, backends = {} } = props.outgoing ?? {};
    this.#credentials = new Map(
      [...(fallback === undefined ? [] : [['default', fallback] as const]), ...prefixed(Object.entries(backends))].map(
        ([key, strategy]) => [key, strategy.bind(this, key.replace(/^backends\//, ''))],
      ),
    );
    this.node.addValidation({ validate: () => [...this.#problems()] });
  }

  /** Those that the program knows: members of the group, and those that were added. */
  get backends(): readonly AnyBackend[] {
    return [...membersOf(this.group), ...this.#inline];
  }

  /**
   * Adds a backend that has no object of its own.
   *
   * @example
   * const notes = gateway.addBackend(Backend.inline({ name: 'notes', url: 'http://notes:8080/mcp', transport: 'streamable-http' }));
   */
  addBackend<T extends ToolSignatures>(backend: InlineBackend<T>): InlineBackend<T> {
    this.#inline.push(backend);
    return backend;
  }

  /** Offers tools, or all tools that a backend has: by its lock, or else whatever it will have. */
  expose(...what: readonly [Tool | AnyBackend, ...(Tool | AnyBackend)[]]): this {
    const call = callOf(Gateway.prototype.expose);
    for (const [index, one] of what.entries()) {
      if ('backend' in one) this.#offer.expose(one, call.at(index));
      else this.#offer.exposeAll(one, call.at(index));
    }
    return this;
  }

  /** Takes tools off the list, whatever exposes them. Workflows may still call them. */
  hide(...tools: readonly [Tool, ...Tool[]]): this {
    const call = callOf(Gateway.prototype.hide);
    for (const [index, tool] of tools.entries()) this.#offer.hide(tool, call.at(index));
    return this;
  }

  /** Gives a tool another name, before conflicts are resolved, and other words if there are any. */
  rename(tool: Tool, name: string, presentation: Presentation = {}): this {
    this.#offer.override(tool, { name, ...presentation }, callOf(Gateway.prototype.rename).at());
    return this;
  }

  /** Describes a tool otherwise than its backend does. */
  describe(tool: Tool, presentation: Presentation): this {
    this.#offer.override(tool, presentation, callOf(Gateway.prototype.describe).at(1));
    return this;
  }

  /** Begins a grant: `gateway.grant(Caller.group('eng')).call(…)`. */
  grant(caller: Caller, options: GrantOptions = {}): Grant {
    return this.#grant('permit', caller, options);
  }

  /** Begins a prohibition: it wins over every grant. */
  forbid(caller: Caller, options: GrantOptions = {}): Grant {
    return this.#grant('forbid', caller, options);
  }

  /** Adds a tool of the gateway's own. Workflows do so themselves. */
  addOwnTool(tool: OwnToolDefinition | SharedToolDefinition): void {
    if ('objectName' in tool) this.#sharedTools.push(tool);
    else this.#ownTools.push(tool);
  }

  /**
   * Adds a policy in Cedar, for what grants have no words for. The compiler checks it like any other.
   *
   * @example
   * gateway.addPolicy('forbid (principal, action, resource) when { context has arg_force && context.arg_force };');
   */
  addPolicy(cedar: string): this {
    this.#statements.push({ text: cedar, call: callOf(Gateway.prototype.addPolicy) });
    return this;
  }

  /**
   * Says what callers can and cannot do. Every compilation checks it, wherever it happens, and a broken expectation is an error.
   *
   * @example
   * gateway.expect(e => e.anonymous().reaches(0));
   * gateway.expect(e => e.caller({ groups: ['eng'] }).canCall(github.tools.search).cannotReach('github_delete_repo'));
   */
  expect(expectation: (e: Expectations) => unknown): this {
    expectation(this.#expectations);
    return this;
  }

  /**
   * The escape hatch: sets a place of the VirtualMCPServer, past everything that this construct vouches for. It is recorded: reports
   * of exposure show it, and `lintel check` hints at it.
   *
   * @param pointer RFC 6901, such as `/spec/config/operational/logLevel`; what is above it has to be there
   */
  override(pointer: `/${string}`, value: unknown): this {
    this.#resource.addJsonPatch(JsonPatch.add(pointer, value));
    noteOrigin(this.#resource, pointer, callOf(Gateway.prototype.override).at(1));
    return this;
  }

  #grant(effect: Statement['effect'], caller: Caller, { id }: GrantOptions): Grant {
    let isNamed = false;
    return new Grant((granted, call) => {
      this.#statements.push({ effect, caller, id: isNamed ? undefined : id, granted, call });
      isNamed = true;
      if (effect === 'forbid') return;
      if (granted.type === 'backend') this.#offer.exposeAll(granted.backend, call.at(0));
      if (granted.type !== 'tools') return;
      for (const [index, one] of granted.callables.entries()) {
        if ('backend' in one) this.#offer.expose(one, call.at(index));
      }
    });
  }

  /** Undefined leaves the annotation out. */
  #expected(): string | undefined {
    const { all } = this.#expectations;
    if (all.length === 0) return undefined;
    const naming = this.#naming();
    const at = ['metadata', 'annotations', EXPECTATIONS_ANNOTATION];
    return JSON.stringify(all.map((one, index) => one.render(naming, [...at, index], this.#notes)));
  }

  #policies(incoming: IncomingParts): RenderedPolicies {
    const { knowsCallers } = this.#props.incoming;
    const groupType = incoming.groups?.groupEntityType ?? 'Group';
    return renderStatements(this.#statements, this.#naming(), this.backends, {
      knowsCallers,
      groupType,
      isOffered: tool => this.#offer.isOffered(tool),
    });
  }

  #naming(): ToolNaming {
    return new ToolNaming(this.#conflicts.strategy, this.backends, this.#offer.renames);
  }

  #problems(): readonly string[] {
    const known = new Set(this.backends.map(({ name }) => name));
    const named = [
      ...this.#offer.named.map(({ value }) => value.backend),
      ...Object.keys(this.#props.outgoing?.backends ?? {}),
    ];
    const strangers = [...new Set(named)].filter(name => !known.has(name));
    const names = this.backends.map(({ name }) => name);
    const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
    const ownNames = [...this.#ownTools, ...this.#sharedTools].map(({ toolName }) => toolName);
    return [
      ...new Set([
        ...repeated.map(name => `two backends are named "${name}"`),
        ...nameCollisions(this.backends, this.#offer.offered, ownNames, this.#naming()),
        ...strangers.map(name => `"${name}" is not a backend of this gateway`),
        ...this.#offer.problems(),
        ...this.#policies(this.#props.incoming.bind()).problems,
      ]),
    ];
  }

  #spec(): VirtualMCPServerSpec {
    const problems = this.#problems();
    if (problems.length > 0) throw new Error(problems.map(one => `[${this.node.path}] ${one}`).join('\n'));
    const props = this.#props;
    const incoming = props.incoming.bind();
    for (const { pointer, given } of incoming.origins ?? []) this.#notes.addPointer(pointer, given);
    for (const { pointer, given } of this.#parts.flatMap(({ origins = [] }) => origins)) {
      this.#notes.addPointer(pointer, given);
    }
    const plain = plainSpec(props);
    for (const field of Object.keys(plain)) this.#notes.add(['spec', field], this.#call.at(2, field));
    this.#notes.add(['spec', 'groupRef'], this.#call.at(2, 'group'));
    const outgoingAuth = this.#outgoingAuth();
    return {
      groupRef: { name: this.group.name },
      ...plain,
      ...Object.assign({}, ...this.#parts.map(({ spec }) => spec)),
      ...this.#incomingAuth(incoming),
      ...(outgoingAuth === undefined ? {} : { outgoingAuth }),
      config: this.#config(incoming),
    };
  }

  #incomingAuth(incoming: IncomingParts): Pick<VirtualMCPServerSpec, 'incomingAuth' | 'authServerConfig'> {
    if ('configIncomingAuth' in incoming) return {};
    const { incomingAuth, authServerConfig } = incoming;
    const policies = this.#policyTexts(incoming, ['spec', 'incomingAuth', 'authzConfig', 'inline', 'policies']);
    return {
      incomingAuth: {
        ...incomingAuth,
        authzConfig: { type: 'inline', ...incoming.groups, inline: { policies } },
      },
      ...(authServerConfig === undefined ? {} : { authServerConfig }),
    };
  }

  #configIncomingAuth(incoming: IncomingParts): Pick<GatewayConfig, 'incomingAuth'> {
    if (!('configIncomingAuth' in incoming)) return {};
    const policies = this.#policyTexts(incoming, ['spec', 'config', 'incomingAuth', 'authz', 'policies']);
    return {
      incomingAuth: { ...incoming.configIncomingAuth, authz: { type: 'cedar', ...incoming.groups, policies } },
    };
  }

  #policyTexts(incoming: IncomingParts, at: readonly string[]): readonly string[] {
    const { policies } = this.#policies(incoming);
    for (const [index, { given }] of policies.entries()) this.#notes.add([...at, index], given);
    return policies.length === 0 ? [NOTHING_PERMITTED] : policies.map(({ text }) => text);
  }

  #config(incoming: IncomingParts): GatewayConfig {
    const plain = plainConfig(this.#props);
    for (const field of Object.keys(plain)) this.#notes.add(['spec', 'config', field], this.#call.at(2, field));
    this.#notes.add(['spec', 'config', 'aggregation'], this.#call.at(2, 'conflicts'));
    const backends = this.#inline.flatMap((backend, index) => {
      const written = writtenOut(backend);
      if (written === undefined) return [];
      this.#notes.add(['spec', 'config', 'backends', index], written.given);
      return [written.spec];
    });
    const compositeTools = this.#ownTools.map((tool, index) => {
      for (const { pointer, given } of tool.origins()) {
        this.#notes.addPointer(`/spec/config/compositeTools/${index}${pointer}`, given);
        // The list as a whole is where it begins.
        if (index === 0 && pointer === '') this.#notes.add(['spec', 'config', 'compositeTools'], given);
      }
      return tool.render();
    });
    return {
      ...plain,
      ...this.#configIncomingAuth(incoming),
      aggregation: this.#offer.render(this.#conflicts, this.backends, this.#notes),
      ...(backends.length === 0 ? {} : { backends }),
      ...(compositeTools.length === 0 ? {} : { compositeTools }),
      ...(this.#sharedTools.length === 0
        ? {}
        : { compositeToolRefs: this.#sharedTools.map(({ objectName: name }) => ({ name })) }),
    };
  }

  /** Backends that are written out are read with the source `inline` only; those of the group count with both. */
  #outgoingAuth(): VirtualMCPServerSpec['outgoingAuth'] {
    if (this.#credentials.size === 0 && this.#inline.length === 0) return undefined;
    const at = ['spec', 'outgoingAuth'];
    const entries = [...this.#credentials].map(([key, { auth, given }]) => {
      const path = key.split(/\/(.*)/s, 2);
      this.#notes.add([...at, ...path], given ?? this.#call.at(2, 'outgoing', ...path));
      return [path, auth] as const;
    });
    const fallback = entries.find(([path]) => path.length === 1)?.[1];
    const backends = Object.fromEntries(
      entries.flatMap(([path, auth]) => (path[1] === undefined ? [] : [[path[1], auth]])),
    );
    return {
      source: this.#inline.length === 0 ? 'discovered' : 'inline',
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(Object.keys(backends).length === 0 ? {} : { backends }),
    };
  }
}

function prefixed<V>(entries: readonly (readonly [string, V])[]): readonly (readonly [string, V])[] {
  return entries.map(([name, value]) => [`backends/${name}`, value]);
}
