import type { AggregationConfig, ToolOverride, WorkloadTools } from '#schemas';
import type { AnyBackend } from '../backend.ts';
import type { Conflicts } from '../conflicts.ts';
import type { Given } from '../origins.ts';
import type { Tool } from '../tool.ts';
import type { Notes } from './notes.ts';
import { type Renames, ToolNaming } from './tool-naming.ts';

/** What a tool is to be called and how it is to be described. */
export type Presentation = Omit<ToolOverride, 'name'>;

interface Given1<T> {
  readonly value: T;
  readonly given: Given;
}

/** What clients are offered of the backends' tools. Nothing but what somebody asked for. */
export class Offer {
  readonly #exposed: Given1<Tool>[] = [];
  readonly #exposedWhole: Given1<AnyBackend>[] = [];
  readonly #hidden: Given1<Tool>[] = [];
  readonly #overrides: (Given1<ToolOverride> & { readonly tool: Tool })[] = [];

  expose(tool: Tool, given: Given): void {
    this.#exposed.push({ value: tool, given });
  }

  exposeAll(backend: AnyBackend, given: Given): void {
    this.#exposedWhole.push({ value: backend, given });
  }

  hide(tool: Tool, given: Given): void {
    this.#hidden.push({ value: tool, given });
  }

  override(tool: Tool, override: ToolOverride, given: Given): void {
    this.#overrides.push({ tool, value: override, given });
  }

  /** Every tool that somebody named. */
  get named(): readonly Given1<Tool>[] {
    return [...this.#exposed, ...this.#hidden, ...this.#overrides.map(({ tool, given }) => ({ value: tool, given }))];
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

  /** Backends of which everything is offered, whatever they will have. */
  get open(): ReadonlySet<string> {
    return new Set(this.#exposedWhole.filter(({ value }) => value.locked === undefined).map(({ value }) => value.name));
  }

  /** Offered by name, hidden ones left out; a locked backend that is exposed as a whole counts with each of its tools. */
  get offered(): readonly Tool[] {
    const wholes = this.#exposedWhole.flatMap(({ value: { name: backend, locked } }) =>
      (locked?.toolNames ?? []).map(name => ({ backend, name })),
    );
    const hidden = new Set(this.#hidden.map(({ value }) => keyOf(value)));
    const all = [...this.#exposed.map(({ value }) => value), ...wholes];
    return [...new Map(all.map(tool => [keyOf(tool), tool])).values()].filter(tool => !hidden.has(keyOf(tool)));
  }

  /** Whether clients see a tool. */
  isOffered(tool: Tool): boolean {
    return this.open.has(tool.backend) || this.offered.some(one => keyOf(one) === keyOf(tool));
  }

  problems(): readonly string[] {
    const { open } = this;
    return this.#hidden
      .filter(({ value }) => open.has(value.backend))
      .map(
        ({ value }) =>
          `"${value.name}" is hidden and "${value.backend}", which has no lock, exposed as a whole: expose its other tools by name, or give it a lock`,
      );
  }

  /** `spec.config.aggregation`, with notes about where each part was given. */
  render(conflicts: Conflicts, backends: readonly AnyBackend[], notes: Notes): AggregationConfig {
    const { strategy } = conflicts;
    const offered = Map.groupBy(this.offered, ({ backend }) => backend);
    const naming = new ToolNaming(strategy, backends, this.renames);
    // A backend in the order of priority takes names, so it is not left to the default what it shows.
    const listed = strategy.type === 'priority' ? strategy.order : [];
    const mentioned = new Set([
      ...offered.keys(),
      ...this.open,
      ...this.#overrides.map(({ tool }) => tool.backend),
      ...listed,
      ...(strategy.type === 'manual' ? backends.map(({ name }) => name) : []),
    ]);
    const workloads = [...mentioned].sort();
    const tools = workloads.map((workload, index) => {
      const at = ['spec', 'config', 'aggregation', 'tools', index];
      const first = this.#firstOf(workload);
      if (first !== undefined) notes.add(at, first);
      return {
        workload,
        ...this.#shown(workload, offered.get(workload) ?? [], naming, at, notes),
        ...this.#overridesOf(workload, at, notes),
      };
    });
    return {
      ...conflicts.written,
      defaultToolVisibility: 'deny',
      ...(tools.length === 0 ? {} : { tools }),
    };
  }

  #firstOf(backend: string): Given | undefined {
    const whole = this.#exposedWhole.find(({ value }) => value.name === backend);
    return (whole ?? this.named.find(({ value }) => value.backend === backend))?.given;
  }

  #shown(
    workload: string,
    offered: readonly Tool[],
    naming: ToolNaming,
    at: readonly (string | number)[],
    notes: Notes,
  ): Pick<WorkloadTools, 'excludeAll' | 'filter'> {
    if (this.open.has(workload)) return {};
    if (offered.length === 0) return { excludeAll: true };
    const shown = offered.map(tool => ({ tool, name: naming.bare(tool) })).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, { tool }] of shown.entries()) {
      const exposed = this.#exposed.find(({ value }) => keyOf(value) === keyOf(tool));
      const given = exposed?.given ?? this.#firstOf(workload);
      if (given !== undefined) notes.add([...at, 'filter', index], given);
    }
    return { filter: shown.map(({ name }) => name) };
  }

  #overridesOf(workload: string, at: readonly (string | number)[], notes: Notes): Pick<WorkloadTools, 'overrides'> {
    const own = this.#overrides
      .filter(({ tool }) => tool.backend === workload)
      .toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
    if (own.length === 0) return {};
    for (const { tool, given } of own) notes.add([...at, 'overrides', tool.name], given);
    return { overrides: Object.fromEntries(own.map(({ tool, value }) => [tool.name, value])) };
  }
}

function keyOf({ backend, name }: Tool): string {
  return JSON.stringify([backend, name]);
}
