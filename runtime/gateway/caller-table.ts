/**
 * The routing table as those have it who were told the same by backends that tell each caller something else: the table for
 * all, and over it the names of their own. It is what `buildTable` would give for both together; but only names that can meet
 * are resolved anew, so that it costs what the callers were told, and not what the gateway has.
 */
import { type CapabilityKind, type PerKind, perKind } from './capabilities.ts';
import { type PreparedItem, PreparedList } from './prepared-list.ts';
import { type CapabilityTable, type RoutingTable, routeOfUri } from './table.ts';
import type { OwnTemplates } from './template-routes.ts';

/** The names that such a table resolves by itself. */
export type OwnNames = PerKind<ReadonlySet<string>>;

export class CallerTable implements RoutingTable {
  readonly tools: RoutingTable['tools'];
  readonly prompts: RoutingTable['prompts'];
  readonly templates: RoutingTable['templates'];
  readonly #shared: CapabilityTable;
  readonly #own: Pick<CapabilityTable, 'lists' | 'resources'>;
  readonly #names: OwnNames;
  readonly #ownTemplates: OwnTemplates | undefined;
  #lists: RoutingTable['lists'] | undefined;
  readonly #onListed: (table: CallerTable) => void;

  /**
   * @param own what the names in `names` come to, those of the shared table among them
   * @param onListed called whenever the lists are looked at, which can be forgotten meanwhile
   */
  constructor(
    shared: CapabilityTable,
    own: CapabilityTable,
    names: OwnNames,
    onListed: (table: CallerTable) => void = () => {},
  ) {
    this.#shared = shared;
    this.#own = { lists: own.lists, resources: own.resources };
    this.#names = names;
    this.#onListed = onListed;
    this.tools = either(names.tools, own.tools, shared.tools);
    this.prompts = either(names.prompts, own.prompts, shared.prompts);
    this.templates = either(names.resourceTemplates, own.templates, shared.templates);
    const texts = names.resourceTemplates;
    this.#ownTemplates = texts.size === 0 ? undefined : { routes: own.templateRoutes, texts };
  }

  get lists(): RoutingTable['lists'] {
    this.#lists ??= perKind(kind => new PreparedList(kind, this.#items(kind)));
    this.#onListed(this);
    return this.#lists;
  }

  /** They are large, and put together again when they are wanted. */
  forgetLists(): void {
    this.#lists = undefined;
  }

  resource(uri: string): ReturnType<RoutingTable['resource']> {
    const listed = (this.#names.resources.has(uri) ? this.#own : this.#shared).resources.get(uri);
    return listed ?? routeOfUri(this.#shared.templateRoutes, uri, this.#ownTemplates);
  }

  #items(kind: CapabilityKind): PreparedItem[] {
    const shared = this.#shared.lists[kind].items.filter(({ key }) => !this.#names[kind].has(key));
    return shared.concat(this.#own.lists[kind].items);
  }
}

function either(
  names: ReadonlySet<string>,
  own: CapabilityTable['tools'],
  shared: CapabilityTable['tools'],
): RoutingTable['tools'] {
  return { get: name => (names.has(name) ? own : shared).get(name) };
}
