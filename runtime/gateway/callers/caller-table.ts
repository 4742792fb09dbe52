/**
 * The routing table of callers with equal lists from backends that give each caller other lists: the table for all callers, with the callers'
 * own names added. It equals the table that `buildTable` would build for both together, but resolves again only names that can collide, so that
 * the cost grows with the callers' own lists and not with the gateway.
 */
import type { WorkflowTool } from '#schemas';
import { type ItemKind, mapKinds, type PerKind } from '../offers/offered-items.ts';
import { type PreparedItem, PreparedList } from '../offers/prepared-list.ts';
import { createCallableTools, type ServedWorkflow, serveWorkflows } from '../routing/served-workflows.ts';
import {
  createWorkflowRoute,
  findRouteOfUri,
  type ItemTable,
  listWorkflowItems,
  type Route,
  type RoutingTable,
} from '../routing/table.ts';
import type { OwnTemplates } from '../routing/template-routes.ts';

/** The names that a caller table resolves itself. */
export type OwnNames = PerKind<ReadonlySet<string>>;

export interface CallerTableOptions {
  readonly workflows?: readonly WorkflowTool[] | undefined;
  /** Called whenever the lists are used; `forgetLists` can drop them between uses. */
  readonly onListed?: ((table: CallerTable) => void) | undefined;
}

export class CallerTable implements RoutingTable {
  readonly tools: RoutingTable['tools'];
  readonly prompts: RoutingTable['prompts'];
  readonly templates: RoutingTable['templates'];
  readonly #shared: ItemTable;
  readonly #own: Pick<ItemTable, 'lists' | 'resources'>;
  readonly #names: OwnNames;
  readonly #ownTemplates: OwnTemplates | undefined;
  #lists: RoutingTable['lists'] | undefined;
  readonly #onListed: (table: CallerTable) => void;
  readonly #workflows: ReadonlyMap<string, ServedWorkflow>;
  readonly #workflowNames: ReadonlySet<string>;

  /** @param own the results of the names in `names`, including those of the shared table; without workflows */
  constructor(
    shared: ItemTable,
    own: ItemTable,
    names: OwnNames,
    { workflows = [], onListed = () => {} }: CallerTableOptions = {},
  ) {
    this.#shared = shared;
    this.#own = { lists: own.lists, resources: own.resources };
    this.#names = names;
    this.#onListed = onListed;
    this.#workflowNames = new Set(workflows.map(({ name }) => name));
    const backends = new Set([...shared.offers, ...own.offers].map(({ plan }) => plan.name));
    const callable = createCallableTools(names.tools, own.callable, shared.callable);
    const { served } = workflows.length === 0 ? { served: [] } : serveWorkflows(workflows, [...backends], callable);
    this.#workflows = new Map(served.map(workflow => [workflow.name, workflow]));
    const tools = uniteNames(names.tools, own.tools, shared.tools);
    this.tools = workflows.length === 0 ? tools : { get: name => this.#findTool(name, tools) };
    this.prompts = uniteNames(names.prompts, own.prompts, shared.prompts);
    this.templates = uniteNames(names.resourceTemplates, own.templates, shared.templates);
    const texts = names.resourceTemplates;
    this.#ownTemplates = texts.size === 0 ? undefined : { routes: own.templateRoutes, texts };
  }

  get lists(): RoutingTable['lists'] {
    this.#lists ??= mapKinds(kind => new PreparedList(kind, this.#listItems(kind)));
    this.#onListed(this);
    return this.#lists;
  }

  /** Drops the lists, which are large, until they are built again on use. */
  forgetLists(): void {
    this.#lists = undefined;
  }

  resource(uri: string): ReturnType<RoutingTable['resource']> {
    const listed = (this.#names.resources.has(uri) ? this.#own : this.#shared).resources.get(uri);
    return listed ?? findRouteOfUri(this.#shared.templateRoutes, uri, this.#ownTemplates);
  }

  #listItems(kind: ItemKind): PreparedItem[] {
    const isWorkflow = (key: string) => kind === 'tools' && this.#shared.tools.get(key)?.workflow !== undefined;
    const shared = this.#shared.lists[kind].items.filter(({ key }) => !this.#names[kind].has(key) && !isWorkflow(key));
    const workflows = kind === 'tools' ? listWorkflowItems([...this.#workflows.values()]) : [];
    return shared.concat(this.#own.lists[kind].items, workflows);
  }

  /** The destination of a tool's name. If a workflow of the bundle has the name, the lists of these callers decide whether it is served. */
  #findTool(name: string, tools: RoutingTable['tools']): Route | undefined {
    if (!this.#workflowNames.has(name)) return tools.get(name);
    const workflow = this.#workflows.get(name);
    if (workflow !== undefined) return createWorkflowRoute(workflow);
    const tool = tools.get(name);
    return tool?.workflow === undefined ? tool : undefined;
  }
}

function uniteNames(
  names: ReadonlySet<string>,
  own: ItemTable['tools'],
  shared: ItemTable['tools'],
): RoutingTable['tools'] {
  return { get: name => (names.has(name) ? own : shared).get(name) };
}
