/**
 * The routing table as those have it who were told the same by backends that tell each caller something else: the table for
 * all, and over it the names of their own. It is what `buildTable` would give for both together; but only names that can meet
 * are resolved anew, so that it costs what the callers were told, and not what the gateway has.
 */
import { compareText } from '#schemas';
import { type CapabilityKind, type PerKind, perKind } from './capabilities.ts';
import { type PreparedItem, PreparedList } from './prepared-list.ts';
import { type CapabilityTable, type RoutingTable, routeOfUri } from './table.ts';
import { TemplateRoutes } from './template-routes.ts';

/** The names that such a table resolves by itself. */
export type OwnNames = PerKind<ReadonlySet<string>>;

export class CallerTable implements RoutingTable {
  readonly tools: RoutingTable['tools'];
  readonly prompts: RoutingTable['prompts'];
  readonly templates: RoutingTable['templates'];
  readonly #shared: CapabilityTable;
  readonly #own: Pick<CapabilityTable, 'lists' | 'resources'>;
  readonly #names: OwnNames;
  readonly #templateRoutes: TemplateRoutes;
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
    this.#templateRoutes = joined(names.resourceTemplates, own.templateRoutes, shared.templateRoutes);
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
    return listed ?? routeOfUri(this.#templateRoutes, uri);
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

function joined(names: ReadonlySet<string>, own: TemplateRoutes, shared: TemplateRoutes): TemplateRoutes {
  if (names.size === 0) return shared;
  const others = shared.routes.filter(({ template }) => !names.has(template.text));
  const inOrder = others.concat(own.routes).sort((a, b) => compareText(a.template.text, b.template.text));
  return new TemplateRoutes(inOrder);
}
