import { type BackendAuth, EXPECTATIONS_ANNOTATION, type GatewayConfig, type VirtualMCPServerSpec } from '#schemas';
import type { AnyBackend, InlinedBackend } from '../backend.ts';
import { Conflicts } from '../conflicts.ts';
import type { LiteralPolicy, OwnTool, Statement } from '../grants/grant.ts';
import { NOTHING_PERMITTED } from '../grants/policy.ts';
import type { IncomingParts } from '../incoming-auth/incoming.ts';
import type { Call, CallSite } from '../origins.ts';
import type { BoundStrategy } from '../outgoing.ts';
import type { BoundPart } from '../part.ts';
import { type ConstructProblem, distinct } from '../problems.ts';
import type { Tool } from '../tool.ts';
import { Authorization } from './authorization.ts';
import { nameCollisions } from './collisions.ts';
import { Expectations } from './expectations.ts';
import { type GatewayProps, plainConfig, plainSpec } from './gateway-props.ts';
import { Offer } from './offer.ts';
import type { ProvenanceNotes } from './provenance.ts';
import { type RenderedPolicies, renderStatements } from './statements.ts';
import { ToolNaming } from './tool-naming.ts';

/** A tool of the gateway's own, defined by a workflow. */
export interface OwnToolDefinition extends OwnTool {
  /** Called when the program is synthesized. */
  render(): NonNullable<GatewayConfig['compositeTools']>[number];
  /** Positions of the rendered parts; pointers from the root of the composite tool. */
  origins(): readonly { readonly pointer: string; readonly callSite: CallSite }[];
}

/** A composite tool in an object of its own (`VirtualMCPCompositeToolDefinition`), for several gateways. */
export interface SharedToolDefinition extends OwnTool {
  readonly objectName: string;
}

/** Credentials as the gateway's props name them. */
export interface DraftCredentials {
  readonly default?: BoundStrategy;
  readonly backends: readonly (readonly [name: string, strategy: BoundStrategy])[];
}

/** A statement that has no effect until another method completes it. */
export interface UnfinishedStatement {
  /** The method that began the statement. */
  readonly verb: string;
  /** The methods that could complete the statement. */
  readonly missing: string;
  readonly callSite: CallSite;
}

export interface DraftSettings {
  readonly props: GatewayProps;
  /** The call of the gateway's constructor. */
  readonly call: Call;
  readonly notes: ProvenanceNotes;
  /** The members of the group that the program knows. */
  readonly members: () => readonly AnyBackend[];
  readonly credentials: DraftCredentials;
  /** Sessions, telemetry and similar parts. */
  readonly parts: readonly BoundPart[];
}

/**
 * The statements about a gateway, and the spec that follows from them. The draft does not depend on cdk8s, so that `lintel export` can compare the
 * specs of the exported program with its input.
 */
export class GatewayDraft {
  readonly offer: Offer;
  readonly expectations: Expectations = new Expectations();
  readonly #settings: DraftSettings;
  readonly #conflicts: Conflicts;
  readonly #authorization: Authorization;
  readonly #inline: { readonly backend: AnyBackend; readonly written: InlinedBackend | undefined }[] = [];
  readonly #statements: (Statement | LiteralPolicy)[] = [];
  readonly #ownTools: OwnToolDefinition[] = [];
  readonly #sharedTools: SharedToolDefinition[] = [];
  readonly #begun = new Set<UnfinishedStatement>();

  constructor(settings: DraftSettings) {
    const { conflicts, authorization, defaultToolVisibility, excludeAllTools } = settings.props;
    this.#settings = settings;
    this.#conflicts = conflicts ?? Conflicts.prefix();
    this.#authorization = authorization ?? Authorization.granted();
    this.offer = new Offer(
      { visibility: defaultToolVisibility ?? 'deny', excludesAll: excludeAllTools === true },
      () => this.backends,
    );
  }

  /** The backends that the program knows: group members, and added ones. */
  get backends(): readonly AnyBackend[] {
    return [...this.#settings.members(), ...this.#inline.map(({ backend }) => backend)];
  }

  /** The names that clients see, as far as they are certain. */
  get naming(): ToolNaming {
    const { renames, configs } = this.offer;
    return new ToolNaming(this.#conflicts.strategy, this.backends, renames, configs);
  }

  addBackend(backend: AnyBackend, inlined: InlinedBackend | undefined): void {
    this.#inline.push({ backend, written: inlined });
  }

  addOwnTool(tool: OwnToolDefinition | SharedToolDefinition): void {
    if ('objectName' in tool) this.#sharedTools.push(tool);
    else this.#ownTools.push(tool);
  }

  /**
   * Registers a statement that another method has to complete: a program that never completes it gets an error.
   * @returns a function to call when the statement is complete
   */
  begin(begun: UnfinishedStatement): () => void {
    this.#begun.add(begun);
    return () => this.#begun.delete(begun);
  }

  addPolicy(policy: LiteralPolicy): void {
    this.#statements.push(policy);
  }

  /** Adds a statement. An item that it grants by name is also offered. */
  addStatement(statement: Statement): void {
    this.#statements.push(statement);
    const { effect, granted, call } = statement;
    if (effect === 'forbid') return;
    if (granted.type === 'backend') this.offer.exposeAll(granted.backend, call.at(0));
    if (granted.type !== 'tools') return;
    for (const [index, value] of granted.callables.entries()) {
      if ('backend' in value) this.offer.exposeGranted(value, call.at(index));
    }
  }

  /** Why the gateway is invalid. */
  problems(): readonly ConstructProblem[] {
    const { props, call } = this.#settings;
    const incoming = props.incoming.bind();
    const names = this.backends.map(({ name }) => name);
    const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
    const outgoing = Object.keys(props.outgoing?.backends ?? {}).map(name => ({
      name,
      callSite: call.at(2, 'outgoing', 'backends', name),
    }));
    const strangers = [...this.offer.namedBackends, ...outgoing].filter(({ name }) => !names.includes(name));
    const known = {
      named: this.offer.named,
      offered: this.offer.offered,
      own: [...this.#ownTools, ...this.#sharedTools].map(({ toolName }) => toolName),
      renamedAt: (tool: Tool) => this.offer.renamedAt(tool),
    };
    return distinct([
      ...repeated.map(name => ({ message: `two backends are named "${name}"` })),
      ...nameCollisions(this.backends, known, this.naming),
      ...strangers.map(({ name, callSite }) => ({ message: `"${name}" is not a backend of this gateway`, callSite })),
      ...this.offer.problems(),
      ...[...this.#begun].map(({ verb, missing, callSite }) => ({ message: `\`${verb}\` ${missing}`, callSite })),
      ...this.#annotationProblems(),
      ...this.expectations.all.flatMap(expectation => expectation.problems(this.naming)),
      ...this.#authorization
        .problems(incoming, this.#statements.length)
        .map(message => ({ message, callSite: call.at(2, 'authorization') })),
      ...this.#rendered(incoming).problems,
    ]);
  }

  /**
   * The text of the expectations annotation: the annotation that the program sets as a prop, extended by the expectations that it adds by methods.
   * Undefined when nothing is expected.
   */
  expected(): string | undefined {
    const { props, notes } = this.#settings;
    const text = props.annotations?.[EXPECTATIONS_ANNOTATION];
    const { all } = this.expectations;
    if (all.length === 0) return text;
    const { naming } = this;
    const inlined = writtenExpectations(text) ?? [];
    const at = ['metadata', 'annotations', EXPECTATIONS_ANNOTATION];
    const rendered = all.map((expectation, index) =>
      expectation.render(naming, [...at, inlined.length + index], notes),
    );
    return JSON.stringify([...inlined, ...rendered]);
  }

  /** Policies in the order of the statements. */
  policies(): readonly string[] {
    return this.#rendered(this.#settings.props.incoming.bind()).policies.map(({ text }) => text);
  }

  /** The spec of the gateway. Must not be called when there are problems. */
  spec(): VirtualMCPServerSpec {
    const { props, parts, notes, call } = this.#settings;
    const incoming = props.incoming.bind();
    for (const { pointer, callSite } of incoming.origins ?? []) notes.addPointer(pointer, callSite);
    for (const { pointer, callSite } of parts.flatMap(({ origins = [] }) => origins))
      notes.addPointer(pointer, callSite);
    const plain = plainSpec(props);
    for (const field of Object.keys(plain)) notes.add(['spec', field], call.at(2, field));
    notes.add(['spec', 'groupRef'], call.named(2, 'group'));
    const outgoingAuth = this.#outgoingAuth();
    return {
      groupRef: { name: props.group.name },
      ...plain,
      ...Object.assign({}, ...parts.map(({ spec }) => spec)),
      ...this.#incomingAuth(incoming),
      ...(outgoingAuth === undefined ? {} : { outgoingAuth }),
      config: this.#config(incoming),
    };
  }

  /** Problems of the annotation's text that the compiler cannot report, because it never sees the text. */
  #annotationProblems(): readonly ConstructProblem[] {
    const { props, call } = this.#settings;
    const isRead = writtenExpectations(props.annotations?.[EXPECTATIONS_ANNOTATION]) !== undefined;
    if (isRead || this.expectations.all.length === 0) return [];
    const message = `the annotation ${EXPECTATIONS_ANNOTATION} is no JSON list, so nothing that is expected can be added to it`;
    return [{ message, callSite: call.at(2, 'annotations', EXPECTATIONS_ANNOTATION) }];
  }

  #rendered({ groups }: IncomingParts): RenderedPolicies {
    return renderStatements(this.#statements, this.naming, this.backends, {
      knowsCallers: this.#settings.props.incoming.knowsCallers,
      groupType: groups?.groupEntityType ?? 'Group',
      isOffered: tool => this.offer.isOffered(tool),
    });
  }

  #incomingAuth(incoming: IncomingParts): Pick<VirtualMCPServerSpec, 'incomingAuth' | 'authServerConfig'> {
    if ('configIncomingAuth' in incoming) return {};
    const { incomingAuth, authServerConfig } = incoming;
    const at = ['spec', 'incomingAuth'];
    const block = this.#authorization.referring(incoming, () =>
      this.#policyTexts(incoming, [...at, 'authzConfig', 'inline', 'policies']),
    );
    for (const field of Object.keys(block)) this.#noteAuthorization([...at, field]);
    return {
      incomingAuth: { ...incomingAuth, ...block },
      ...(authServerConfig === undefined ? {} : { authServerConfig }),
    };
  }

  #configIncomingAuth(incoming: IncomingParts): Pick<GatewayConfig, 'incomingAuth'> {
    if (!('configIncomingAuth' in incoming)) return {};
    const at = ['spec', 'config', 'incomingAuth', 'authz'];
    const block = this.#authorization.written(incoming, () => this.#policyTexts(incoming, [...at, 'policies']));
    this.#noteAuthorization(at);
    return { incomingAuth: { ...incoming.configIncomingAuth, ...block } };
  }

  #noteAuthorization(at: readonly string[]): void {
    const { props, notes } = this.#settings;
    if (props.authorization?.callSite !== undefined) notes.add(at, props.authorization.callSite);
  }

  #policyTexts(incoming: IncomingParts, at: readonly string[]): readonly string[] {
    const { policies } = this.#rendered(incoming);
    for (const [index, { callSite }] of policies.entries()) this.#settings.notes.add([...at, index], callSite);
    return policies.length === 0 ? [NOTHING_PERMITTED] : policies.map(({ text }) => text);
  }

  #config(incoming: IncomingParts): GatewayConfig {
    const { props, notes, call } = this.#settings;
    const plain = plainConfig(props);
    for (const field of Object.keys(plain)) notes.add(['spec', 'config', field], call.at(2, field));
    notes.add(['spec', 'config', 'aggregation'], call.at(2, 'conflicts'));
    for (const field of ['defaultToolVisibility', 'excludeAllTools'] as const) {
      if (props[field] !== undefined) notes.add(['spec', 'config', 'aggregation', field], call.at(2, field));
    }
    const backends = this.#inline.flatMap(({ written: inlined }, index) => {
      if (inlined === undefined) return [];
      notes.add(['spec', 'config', 'backends', index], inlined.callSite);
      return [inlined.spec];
    });
    const compositeTools = this.#ownTools.map((tool, index) => {
      for (const { pointer, callSite } of tool.origins()) {
        notes.addPointer(`/spec/config/compositeTools/${index}${pointer}`, callSite);
        // A finding about the whole list points at its beginning.
        if (index === 0 && pointer === '') notes.add(['spec', 'config', 'compositeTools'], callSite);
      }
      return tool.render();
    });
    return {
      ...plain,
      ...this.#configIncomingAuth(incoming),
      aggregation: this.offer.render(this.#conflicts, notes),
      ...(backends.length === 0 ? {} : { backends }),
      ...(compositeTools.length === 0 ? {} : { compositeTools }),
      ...(this.#sharedTools.length === 0
        ? {}
        : { compositeToolRefs: this.#sharedTools.map(({ objectName: name }) => ({ name })) }),
    };
  }

  /**
   * The credentials for backends. Those of inline backends only take effect if the source is `inline`; those of group members take effect with either
   * source.
   */
  #outgoingAuth(): VirtualMCPServerSpec['outgoingAuth'] {
    const { credentials, props } = this.#settings;
    const source = this.#inline.length > 0 ? 'inline' : props.outgoing?.source;
    if (credentials.default === undefined && credentials.backends.length === 0 && source === undefined)
      return undefined;
    const backends: Record<string, BackendAuth> = Object.create(null);
    if (source === 'inline') Object.assign(backends, this.#ownCredentials());
    for (const [name, strategy] of credentials.backends) backends[name] = this.#credential(strategy, 'backends', name);
    return {
      source: source ?? 'discovered',
      ...(credentials.default === undefined ? {} : { default: this.#credential(credentials.default, 'default') }),
      ...(Object.keys(backends).length === 0 ? {} : { backends: { ...backends } }),
    };
  }

  /**
   * Entries for members that have a credential of their own, or may have one. With the source `inline`, a member's own reference only takes effect
   * where its entry, or the default, says `discovered`.
   */
  #ownCredentials(): Readonly<Record<string, BackendAuth>> {
    const { credentials, members, notes, call } = this.#settings;
    if (credentials.default?.auth.type === 'discovered') return {};
    const entries: Record<string, BackendAuth> = Object.create(null);
    for (const { name, hasCredential } of members()) {
      if (hasCredential === false) continue;
      notes.add(['spec', 'outgoingAuth', 'backends', name], call.named(2, 'group'));
      entries[name] = { type: 'discovered' };
    }
    return entries;
  }

  #credential({ auth, callSite }: BoundStrategy, ...path: readonly string[]): BoundStrategy['auth'] {
    const { notes, call } = this.#settings;
    notes.add(['spec', 'outgoingAuth', ...path], callSite ?? call.at(2, 'outgoing', ...path));
    return auth;
  }
}

/** The expectations in the annotation's text; undefined if the text is not a list. */
function writtenExpectations(text = '[]'): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
