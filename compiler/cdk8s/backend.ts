import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import type { MCPRemoteProxySpec, MCPServerEntrySpec, MCPServerSpec, StaticBackend } from '#schemas';
import { type GroupReference, joinGroup } from './group.ts';
import { headerForward, type StaticHeaders } from './headers.ts';
import { foreignLock, refuseForeignLock } from './lock-of.ts';
import { type Call, type CallSite, captureCall, noteOrigin } from './origins.ts';
import type { AuthReference } from './outgoing-auth/external-auth.ts';
import { addValidation } from './problems.ts';
import { ConstructResource, type NamingProps } from './resource.ts';
import { sharedMap } from './shared.ts';
import {
  bindTools,
  type LockedBackend,
  type Tool,
  type ToolSignature,
  type ToolSignatures,
  type ToolsOf,
} from './tool.ts';

/** The tools of a backend without a lock: none are known. */
export type NoTools = Record<never, ToolSignature>;

/** The names of a backend's tools: with a lock, only the names in the lock. */
export type ToolNameOf<T extends ToolSignatures> = [keyof T] extends [never] ? string : keyof T & string;

/** The part of a backend that gateways need: every {@link Backend} has it. */
export interface AnyBackend {
  readonly name: string;
  /** The backend's lock; undefined when its tools are unknown. */
  readonly locked: { readonly key: string; readonly toolNames: readonly string[] } | undefined;
  /** Whether the backend refers to a credential of its own; undefined for a backend that is declared outside of the program. */
  readonly hasCredential?: boolean | undefined;
}

/** A prompt of a backend, by the backend's own name. */
export interface Prompt {
  readonly backend: string;
  readonly prompt: string;
}

/** A resource of a backend. Gateways never rewrite URIs. */
export interface BackendResource {
  readonly backend: string;
  readonly uri: string;
}

interface CommonBackendProps<T extends ToolSignatures> extends NamingProps {
  readonly group: GroupReference;
  /** The backend's entry in the generated `lintel.lock.ts`: the names and types of its tools. */
  readonly locked?: LockedBackend<T>;
  /** The credential that gateways send to the backend by default. */
  readonly auth?: AuthReference;
}

interface Remote {
  /** Fixed headers on every request to the backend. */
  readonly headers?: StaticHeaders;
}

type ReplacedField = 'groupRef' | 'externalAuthConfigRef' | 'headerForward';

export type ServerProps<T extends ToolSignatures = NoTools> = CommonBackendProps<T> &
  Omit<MCPServerSpec, ReplacedField>;
export type RemoteProps<T extends ToolSignatures = NoTools> = CommonBackendProps<T> &
  Remote &
  Omit<MCPRemoteProxySpec, ReplacedField>;
export type EntryProps<T extends ToolSignatures = NoTools> = CommonBackendProps<T> &
  Remote &
  Omit<MCPServerEntrySpec, ReplacedField>;

export interface InlineProps<T extends ToolSignatures = NoTools> extends StaticBackend {
  readonly locked?: LockedBackend<T>;
}

export interface ExistingProps<T extends ToolSignatures = NoTools> {
  readonly name: string;
  /** The group that the backend belongs to. */
  readonly group: GroupReference;
  readonly locked?: LockedBackend<T>;
}

/**
 * An MCP server behind gateways. With a lock its tools are typed: a name that it does not have is a TypeScript error.
 *
 * @example
 * const github = Backend.server(this, 'github', {
 *   group: eng, image: 'ghcr.io/example/github-mcp:1.4.0', transport: 'streamable-http', locked: catalog.github,
 * });
 * gateway.expose(github.tools.search);
 */
export class Backend<T extends ToolSignatures = NoTools> {
  /** The name of the workload, or of the entry in the gateway. */
  readonly name: string;
  /** Every tool of the lock, by the backend's own names; empty without a lock. */
  readonly tools: ToolsOf<T>;
  /** The lock passed to the constructor. */
  readonly locked: LockedBackend<T> | undefined;
  /** Whether the backend has `auth`; undefined for a backend that is declared outside of the program. */
  readonly hasCredential: boolean | undefined;

  protected constructor(name: string, locked: LockedBackend<T> | undefined, hasCredential: boolean | undefined) {
    this.name = name;
    this.locked = locked;
    this.hasCredential = hasCredential;
    this.tools = Object.freeze(locked === undefined ? Object.create(null) : bindTools(locked, name)) as ToolsOf<T>;
  }

  /**
   * A tool by its name at the backend. Without a lock any name is accepted, and the compiler checks the name if it has a tool lock.
   *
   * @throws TypeError for a name that the lock does not have
   */
  tool<N extends ToolNameOf<T>>(name: N): Tool<N extends keyof T ? T[N] : ToolSignature> {
    const { locked } = this;
    if (locked === undefined || locked.isUnlocked) return { backend: this.name, name };
    const tool = (this.tools as { readonly [tool: string]: Tool | undefined })[name];
    if (tool !== undefined) return tool as Tool<N extends keyof T ? T[N] : ToolSignature>;
    throw new TypeError(`${locked.key} has no tool "${name}"; it has ${locked.toolNames.join(', ') || 'none'}`);
  }

  /** A prompt by its name at the backend. */
  prompt(name: string): Prompt {
    return { backend: this.name, prompt: name };
  }

  /** A resource by its URI. */
  resource(uri: string): BackendResource {
    return { backend: this.name, uri };
  }

  /** A container in the cluster (`MCPServer`). */
  static server<T extends ToolSignatures = NoTools>(scope: Construct, id: string, props: ServerProps<T>): Backend<T> {
    return Backend.#workload(captureCall(Backend.server), 'MCPServer', scope, id, props);
  }

  /** A server elsewhere, reached through a proxy in the cluster (`MCPRemoteProxy`). */
  static remote<T extends ToolSignatures = NoTools>(scope: Construct, id: string, props: RemoteProps<T>): Backend<T> {
    return Backend.#workload(captureCall(Backend.remote), 'MCPRemoteProxy', scope, id, props);
  }

  /** A server elsewhere, which gateways contact themselves (`MCPServerEntry`). */
  static entry<T extends ToolSignatures = NoTools>(scope: Construct, id: string, props: EntryProps<T>): Backend<T> {
    return Backend.#workload(captureCall(Backend.entry), 'MCPServerEntry', scope, id, props);
  }

  /** A server that is written out in the gateway that it is added to, without an object of its own. */
  static inline<T extends ToolSignatures = NoTools>(props: InlineProps<T>): InlineBackend<T> {
    const { locked, ...spec } = props;
    refuseForeignLock(locked, spec.name);
    const backend = new InlineBackend<T>(spec.name, locked, false);
    inlined.set(backend, { spec, callSite: captureCall(Backend.inline).at(0) });
    return backend;
  }

  /** A server that is declared elsewhere, such as in YAML. */
  static existing<T extends ToolSignatures = NoTools>({ name, group, locked }: ExistingProps<T>): Backend<T> {
    refuseForeignLock(locked, name);
    const backend = new Backend<T>(name, locked, undefined);
    joinGroup(group, backend);
    return backend;
  }

  static #workload<T extends ToolSignatures>(
    call: Call,
    kind: string,
    scope: Construct,
    id: string,
    props: CommonBackendProps<T> & Remote,
  ): Backend<T> {
    const { name = id, namespace, labels, annotations, group, locked, auth, headers, ...spec } = props;
    const construct = new Construct(scope, id);
    const problem = locked && foreignLock(locked, { namespace: namespace ?? Chart.of(scope).namespace, kind, name });
    const callSite = call.named(2, 'locked');
    if (problem !== undefined) addValidation(construct, () => [{ message: problem, callSite }]);
    const forward = headers && headerForward(headers, '/spec/headerForward', call.at(2, 'headers'));
    const resource = new ConstructResource(construct, kind, name, props, () => {
      if (problem !== undefined) throw new Error(`[${construct.node.path}] ${problem}`);
      return {
        ...spec,
        groupRef: { name: group.name },
        ...(auth === undefined ? {} : { externalAuthConfigRef: { name: auth.name } }),
        ...(forward === undefined ? {} : { headerForward: forward.headerForward }),
      };
    });
    noteOrigin(resource, '', call.at(2));
    noteOrigin(resource, '/spec', call.at(2));
    noteOrigin(resource, '/metadata/name', props.name === undefined ? call.at(1) : call.at(2, 'name'));
    noteOrigin(resource, '/spec/groupRef', call.named(2, 'group'));
    if (auth !== undefined) noteOrigin(resource, '/spec/externalAuthConfigRef', call.at(2, 'auth'));
    for (const { pointer, callSite } of forward?.origins ?? []) noteOrigin(resource, pointer, callSite);
    const backend = new Backend<T>(name, locked, auth !== undefined);
    joinGroup(group, backend);
    return backend;
  }
}

/** A backend without an object of its own, for `gateway.addBackend`. */
export class InlineBackend<T extends ToolSignatures = NoTools> extends Backend<T> {
  readonly isInline = true;
}

/** The inline form of a backend in a gateway's spec, with the positions in the program. */
export interface InlinedBackend {
  readonly spec: StaticBackend;
  readonly callSite: CallSite;
}

const inlined = sharedMap<object, InlinedBackend>('inlined');

export function getInlinedBackend(backend: AnyBackend): InlinedBackend | undefined {
  return inlined.get(backend);
}
