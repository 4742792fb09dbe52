import type { AnyBackend, BackendResource, Prompt } from '../backend.ts';
import type { Caller } from '../caller.ts';
import { type Call, captureCall } from '../origins.ts';
import type { Tool } from '../tool.ts';
import type { Tools } from '../tools.ts';

/** A tool of the gateway's own, such as a workflow. */
export interface OwnTool {
  /** The name that clients see. */
  readonly toolName: string;
}

/** A tool that is named, or tools that are selected by annotations. */
export type Callable = Tool | OwnTool | Tools;

/** Resources whose URIs share a prefix. */
export interface UriPrefix {
  readonly under: string;
}

/** The action and items of a grant. Names are resolved when the program is synthesized. */
export type GrantTarget =
  | { readonly type: 'tools'; readonly callables: readonly Callable[] }
  | { readonly type: 'backend'; readonly backend: AnyBackend }
  | { readonly type: 'prompts'; readonly prompts: readonly Prompt[] }
  | { readonly type: 'resources'; readonly resources: readonly (BackendResource | UriPrefix)[] }
  | { readonly type: 'everything' };

/** A policy in Cedar text. */
export interface LiteralPolicy {
  readonly text: string;
  readonly call: Call;
}

export interface Statement {
  readonly effect: 'permit' | 'forbid';
  readonly caller: Caller;
  /** The id of the policy, if the program gives one. */
  readonly id: string | undefined;
  readonly granted: GrantTarget;
  readonly call: Call;
}

/** What is granted to, or forbidden for, some callers. Every method adds one policy and returns the same grant. */
export class Grant {
  readonly #add: (granted: GrantTarget, call: Call) => void;

  /** Use `gateway.grant` or `gateway.forbid`. */
  constructor(add: (granted: GrantTarget, call: Call) => void) {
    this.#add = add;
  }

  /**
   * Grants or forbids calling tools. A tool that is granted by name is also offered.
   *
   * @example gateway.grant(Caller.group('eng')).call(github.tools.search, github.tools.create_issue);
   */
  call(...callables: readonly [Callable, ...Callable[]]): this {
    this.#add({ type: 'tools', callables }, captureCall(Grant.prototype.call));
    return this;
  }

  /** Grants or forbids calling every tool in a backend's lock. */
  callAll(backend: AnyBackend): this {
    this.#add({ type: 'backend', backend }, captureCall(Grant.prototype.callAll));
    return this;
  }

  /** Grants or forbids getting prompts. */
  get(...prompts: readonly [Prompt, ...Prompt[]]): this {
    this.#add({ type: 'prompts', prompts }, captureCall(Grant.prototype.get));
    return this;
  }

  /**
   * Grants or forbids reading resources.
   *
   * @example gateway.grant(Caller.any()).read(docs.resource('docs://handbook'), { under: 'docs://public/' });
   */
  read(...resources: readonly [BackendResource | UriPrefix, ...(BackendResource | UriPrefix)[]]): this {
    this.#add({ type: 'resources', resources }, captureCall(Grant.prototype.read));
    return this;
  }

  /** Grants or forbids everything that the gateway offers. */
  everything(): this {
    this.#add({ type: 'everything' }, captureCall(Grant.prototype.everything));
    return this;
  }
}
