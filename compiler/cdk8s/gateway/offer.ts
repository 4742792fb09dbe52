import { type AggregationConfig, compareText, type ToolOverride, type WorkloadTools } from '#schemas';
import type { AnyBackend } from '../backend.ts';
import type { Conflicts } from '../conflicts.ts';
import type { CallSite } from '../origins.ts';
import type { ConstructProblem } from '../problems.ts';
import type { Tool } from '../tool.ts';
import type { ProvenanceNotes } from './provenance.ts';
import { type Renames, ToolNaming } from './tool-naming.ts';

/** A tool's new name and description. */
export type Presentation = Omit<ToolOverride, 'name'>;

export interface OfferSettings {
  /** Which tools of a backend clients see when no statement exposes any. */
  readonly visibility: 'deny' | 'allow';
  /** Whether no tool of any backend is offered. */
  readonly excludesAll: boolean;
}

interface PlacedValue<T> {
  readonly value: T;
  readonly callSite: CallSite;
}

export interface NamedBackend {
  readonly name: string;
  readonly callSite: CallSite;
}

/** Which tools of one backend clients see. */
type ShownTools =
  /** All tools, present and future, because the program says so or by default. */
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | { readonly type: 'only'; readonly tools: readonly Tool[] }
  /** An MCPToolConfig decides. */
  | { readonly type: 'elsewhere'; readonly config: string };

/** Which backend tools clients see; by default only those that the program names. */
export class Offer {
  readonly #settings: OfferSettings;
  readonly #backends: () => readonly AnyBackend[];
  readonly #exposed: PlacedValue<Tool>[] = [];
  readonly #granted: PlacedValue<Tool>[] = [];
  readonly #exposedWhole: PlacedValue<AnyBackend>[] = [];
  readonly #hidden: PlacedValue<Tool>[] = [];
  readonly #hiddenWhole: PlacedValue<AnyBackend>[] = [];
  readonly #configs: (PlacedValue<string> & { readonly backend: AnyBackend })[] = [];
  readonly #overrides: (PlacedValue<ToolOverride> & { readonly tool: Tool; readonly namedAt: CallSite })[] = [];

  /** @param backends the backends that the program knows */
  constructor(settings: OfferSettings, backends: () => readonly AnyBackend[]) {
    this.#settings = settings;
    this.#backends = backends;
  }

  expose(tool: Tool, callSite: CallSite): void {
    this.#exposed.push({ value: tool, callSite });
  }

  /** A tool that is granted by name is also offered; this never hides other tools. */
  exposeGranted(tool: Tool, callSite: CallSite): void {
    this.#granted.push({ value: tool, callSite });
  }

  exposeAll(backend: AnyBackend, callSite: CallSite): void {
    this.#exposedWhole.push({ value: backend, callSite });
  }

  hide(tool: Tool, callSite: CallSite): void {
    this.#hidden.push({ value: tool, callSite });
  }

  hideAll(backend: AnyBackend, callSite: CallSite): void {
    this.#hiddenWhole.push({ value: backend, callSite });
  }

  applyConfig(backend: AnyBackend, config: string, callSite: CallSite): void {
    this.#configs.push({ backend, value: config, callSite });
  }

  /** @param namedAt position of the tool's new name, if it gets one */
  override(tool: Tool, override: ToolOverride, callSite: CallSite, namedAt: CallSite = callSite): void {
    this.#overrides.push({ tool, value: override, callSite, namedAt });
  }

  /** Every backend that the program names, once for each call. */
  get namedBackends(): readonly NamedBackend[] {
    return [
      ...[...this.#exposed, ...this.#granted, ...this.#hidden].map(({ value, callSite }) => ({
        name: value.backend,
        callSite,
      })),
      ...[...this.#exposedWhole, ...this.#hiddenWhole].map(({ value, callSite }) => ({ name: value.name, callSite })),
      ...this.#overrides.map(({ tool, callSite }) => ({ name: tool.backend, callSite })),
      ...this.#configs.map(({ backend, callSite }) => ({ name: backend.name, callSite })),
    ];
  }

  get renames(): Renames {
    const renames = new Map<string, Map<string, string>>();
    for (const { tool, value } of this.#overrides) {
      if (value.name === undefined) continue;
      const ofBackend = renames.get(tool.backend) ?? new Map<string, string>();
      renames.set(tool.backend, ofBackend.set(tool.name, value.name));
    }
    return renames;
  }

  /** MCPToolConfigs by backend; they decide about tool names. */
  get configs(): ReadonlyMap<string, string> {
    return new Map(this.#configs.map(({ backend, value }) => [backend.name, value]));
  }

  /** Tools offered by name, without hidden ones; a locked backend that is exposed as a whole contributes each of its tools. */
  get offered(): readonly Tool[] {
    const names = new Set([...this.#backends().map(({ name }) => name), ...this.namedBackends.map(({ name }) => name)]);
    return [...names].flatMap(name => {
      const shown = this.#computeShown(name);
      return shown.type === 'only' ? shown.tools : [];
    });
  }

  /** Every tool that a statement names. */
  get named(): readonly Tool[] {
    const values = [...this.#exposed, ...this.#granted, ...this.#hidden].map(({ value }) => value);
    return [...values, ...this.#overrides.map(({ tool }) => tool)];
  }

  /** The statement that gave a tool its name. */
  renamedAt({ backend, name }: Tool): CallSite | undefined {
    return this.#overrides.findLast(
      ({ tool, value }) => tool.backend === backend && tool.name === name && value.name !== undefined,
    )?.namedAt;
  }

  /** Whether clients see a tool. */
  isOffered(tool: Tool): boolean {
    const shown = this.#computeShown(tool.backend);
    if (shown.type === 'only') return shown.tools.some(({ name }) => name === tool.name);
    return shown.type !== 'none';
  }

  problems(): readonly ConstructProblem[] {
    const { excludesAll } = this.#settings;
    const [exposed] = [...this.#exposed, ...this.#exposedWhole];
    if (excludesAll && exposed !== undefined) {
      const message = 'something is exposed, and `excludeAllTools` offers no tool of any backend';
      return [{ message, callSite: exposed.callSite }];
    }
    return [
      ...this.#hidden
        .filter(({ value }) => this.#computeShown(value.backend).type === 'all')
        .map(({ value, callSite }) => ({
          message: `"${value.name}" is hidden, but its backend "${value.backend}" has no lock and is ${this.#isOpen(value.backend) ? 'exposed' : 'offered'} as a whole: expose the other tools by name, or give the backend a lock`,
          callSite,
        })),
      ...this.#configs
        .filter(({ backend }) => this.#isSetElsewhere(backend.name))
        .map(({ backend, value, callSite }) => ({
          message: `MCPToolConfig "${value}" decides what "${backend.name}" shows, and under which names: do not expose, hide, rename or describe its tools here`,
          callSite,
        })),
    ];
  }

  /** `spec.config.aggregation`, with the positions of its parts in the program. */
  render(conflicts: Conflicts, notes: ProvenanceNotes): AggregationConfig {
    const { visibility, excludesAll } = this.#settings;
    const backends = this.#backends();
    const naming = new ToolNaming(conflicts.strategy, backends, this.renames, this.configs);
    const tools = this.#mentioned(conflicts).map((workload, index) => {
      const at = ['spec', 'config', 'aggregation', 'tools', index];
      const first = this.#findFirst(workload);
      if (first !== undefined) notes.add(at, first);
      return {
        workload,
        ...(excludesAll ? {} : this.#entry(workload, naming, at, notes)),
        ...this.#buildOverrides(workload, at, notes),
        ...this.#buildConfigRef(workload, at, notes),
      };
    });
    return {
      ...conflicts.written,
      ...(excludesAll ? { excludeAllTools: true } : { defaultToolVisibility: visibility }),
      ...(tools.length === 0 ? {} : { tools }),
    };
  }

  /** Sorted names of the backends that get an entry in `aggregation.tools`. */
  #mentioned({ strategy }: Conflicts): readonly string[] {
    const { visibility, excludesAll } = this.#settings;
    const shows = (name: string) => this.#computeShown(name).type === 'only';
    const wholes = excludesAll ? [] : [...this.#exposedWhole, ...this.#hiddenWhole];
    return [
      ...new Set([
        ...[...this.#exposed, ...this.#granted, ...this.#hidden].map(({ value }) => value.backend).filter(shows),
        ...wholes.map(({ value }) => value.name),
        ...this.#overrides.map(({ tool }) => tool.backend),
        ...this.#configs.map(({ backend }) => backend.name),
        // A backend in the priority order takes names from other backends, so the spec states what the backend offers and does not leave it to the
        // default.
        ...(strategy.type === 'priority' && visibility === 'deny' && !excludesAll ? strategy.order : []),
        ...(strategy.type === 'manual' ? this.#backends().map(({ name }) => name) : []),
      ]),
    ].sort();
  }

  #computeShown(backend: string): ShownTools {
    const config = this.configs.get(backend);
    const isHidden = this.#hiddenWhole.some(({ value }) => value.name === backend);
    if (this.#settings.excludesAll || isHidden) return { type: 'none' };
    if (config !== undefined) return { type: 'elsewhere', config };
    if (this.#isOpen(backend)) return { type: 'all' };
    const locked = this.#findTools(backend);
    const of = (list: readonly PlacedValue<Tool>[]) =>
      list.map(({ value }) => value).filter(tool => tool.backend === backend);
    const isWhole = this.#exposedWhole.some(({ value }) => value.name === backend);
    const exposed = [...of(this.#exposed), ...(isWhole ? (locked ?? []) : [])];
    const hidden = new Set(of(this.#hidden).map(({ name }) => name));
    const only = (tools: readonly Tool[]): ShownTools => {
      const shown = new Map(tools.map(tool => [tool.name, tool]));
      for (const name of hidden) shown.delete(name);
      return shown.size === 0 ? { type: 'none' } : { type: 'only', tools: [...shown.values()] };
    };
    if (this.#settings.visibility === 'deny' || exposed.length > 0) return only([...exposed, ...of(this.#granted)]);
    return hidden.size === 0 || locked === undefined ? { type: 'all' } : only(locked);
  }

  /** Whether a backend without a lock is exposed as a whole, with every tool that it has at run time. */
  #isOpen(backend: string): boolean {
    return this.#exposedWhole.some(({ value }) => value.name === backend && value.locked === undefined);
  }

  #isSetElsewhere(backend: string): boolean {
    const tools = [...this.#exposed, ...this.#hidden].map(({ value }) => value.backend);
    const named = [...tools, ...this.#overrides.map(({ tool }) => tool.backend)];
    return named.includes(backend) || this.#exposedWhole.some(({ value }) => value.name === backend);
  }

  /** The tools in the lock of a backend; undefined for a backend without a lock. */
  #findTools(backend: string): readonly Tool[] | undefined {
    const whole = this.#exposedWhole.map(({ value }) => value);
    const known = [...this.#backends(), ...whole].find(({ name, locked }) => name === backend && locked !== undefined);
    return known?.locked?.toolNames.map(name => ({ backend, name }));
  }

  #findFirst(backend: string): CallSite | undefined {
    const wholes = [...this.#exposedWhole, ...this.#hiddenWhole].filter(({ value }) => value.name === backend);
    const tools = [...this.#exposed, ...this.#granted, ...this.#hidden].filter(
      ({ value }) => value.backend === backend,
    );
    const overrides = this.#overrides.filter(({ tool }) => tool.backend === backend);
    return [...wholes, ...tools, ...overrides][0]?.callSite;
  }

  #entry(
    workload: string,
    naming: ToolNaming,
    at: readonly (string | number)[],
    notes: ProvenanceNotes,
  ): Pick<WorkloadTools, 'excludeAll' | 'filter'> {
    const shown = this.#computeShown(workload);
    if (shown.type === 'none') return { excludeAll: true };
    if (shown.type !== 'only') return {};
    const named = shown.tools
      .map(tool => ({ tool, name: naming.bare(tool) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, { tool }] of named.entries()) {
      const exposed = [...this.#exposed, ...this.#granted].find(
        ({ value }) => value.backend === tool.backend && value.name === tool.name,
      );
      const callSite = exposed?.callSite ?? this.#findFirst(workload);
      if (callSite !== undefined) notes.add([...at, 'filter', index], callSite);
    }
    return { filter: named.map(({ name }) => name) };
  }

  #buildOverrides(
    workload: string,
    at: readonly (string | number)[],
    notes: ProvenanceNotes,
  ): Pick<WorkloadTools, 'overrides'> {
    const own = this.#overrides
      .filter(({ tool }) => tool.backend === workload)
      .toSorted((a, b) => compareText(a.tool.name, b.tool.name));
    if (own.length === 0) return {};
    for (const { tool, callSite } of own) notes.add([...at, 'overrides', tool.name], callSite);
    const overrides: Record<string, ToolOverride> = Object.create(null);
    // A later statement replaces what an earlier one says, and keeps what it does not mention itself.
    for (const { tool, value } of own) overrides[tool.name] = merged(overrides[tool.name], value);
    return { overrides: { ...overrides } };
  }

  #buildConfigRef(
    workload: string,
    at: readonly (string | number)[],
    notes: ProvenanceNotes,
  ): Pick<WorkloadTools, 'toolConfigRef'> {
    const config = this.#configs.findLast(({ backend }) => backend.name === workload);
    if (config === undefined) return {};
    notes.add([...at, 'toolConfigRef'], config.callSite);
    return { toolConfigRef: { name: config.value } };
  }
}

function merged(before: ToolOverride = {}, { annotations, ...words }: ToolOverride): ToolOverride {
  const members = Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
  const hints = { ...before.annotations, ...annotations };
  return { ...before, ...members, ...(Object.keys(hints).length === 0 ? {} : { annotations: hints }) };
}
