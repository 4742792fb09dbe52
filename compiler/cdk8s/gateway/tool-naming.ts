import type { AnyBackend } from '../backend.ts';
import type { ConflictStrategy } from '../conflicts.ts';
import type { Tool } from '../tool.ts';

/** The name that clients see, or why it is unknown. */
export type NameResult = { readonly name: string } | { readonly problem: string };

/** New names of tools: by backend, then by original name. */
export type Renames = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Names as clients see them, by the same rules as in the compiler and the runtime (`shared/plan/item-names.ts`), as far as the program knows
 * backends and their tools. An uncertain name is reported as a problem and never guessed, because policies rely on names.
 */
export class ToolNaming {
  readonly #strategy: ConflictStrategy;
  readonly #backends: readonly AnyBackend[];
  readonly #renames: Renames;
  readonly #configs: ReadonlyMap<string, string>;

  /** @param configs MCPToolConfigs by backend */
  constructor(
    strategy: ConflictStrategy,
    backends: readonly AnyBackend[],
    renames: Renames,
    configs: ReadonlyMap<string, string>,
  ) {
    this.#strategy = strategy;
    this.#backends = backends;
    this.#renames = renames;
    this.#configs = configs;
  }

  /** The name after renaming and before the conflict strategy, which filters use. */
  bare({ backend, name }: Tool): string {
    return this.#renames.get(backend)?.get(name) ?? name;
  }

  tool(tool: Tool): NameResult {
    const config = this.#configs.get(tool.backend);
    if (config !== undefined) {
      const problem = `what "${tool.name}" of "${tool.backend}" is called is decided by MCPToolConfig "${config}": write policies about it with addPolicy`;
      return { problem };
    }
    const bare = this.bare(tool);
    const strategy = this.#strategy;
    if (strategy.type === 'prefix') return { name: this.#prefixed(tool.backend, bare) };
    if (strategy.type === 'manual') return { name: bare };
    const rank = strategy.order.indexOf(tool.backend);
    const rivals = this.#backends.filter(({ name }) => {
      if (name === tool.backend) return false;
      const other = strategy.order.indexOf(name);
      return rank === -1 || (other !== -1 && other < rank);
    });
    return this.#byPriority(tool, bare, rank, rivals);
  }

  /** The name of a prompt. Prompts are prefixed, except those of backends in the priority order. */
  prompt(backend: string, name: string): string {
    const strategy = this.#strategy;
    const isBare = strategy.type === 'priority' && strategy.order.includes(backend);
    return isBare ? name : this.#prefixed(backend, name);
  }

  /** The prefix of every name of a prefixed backend. */
  getPrefix(backend: string): string {
    return this.#strategy.prefixFormat.replaceAll('{workload}', () => backend);
  }

  #byPriority(tool: Tool, bare: string, rank: number, rivals: readonly AnyBackend[]): NameResult {
    const order = this.#strategy.type === 'priority' ? this.#strategy.order : [];
    let name = bare;
    for (const rival of rivals) {
      const holds = this.#holds(rival, bare);
      if (holds === undefined) {
        const problem = `what "${tool.name}" of "${tool.backend}" is called depends on the tools of "${rival.name}", which are not known: run \`lintel lock --types\` and give it a lock, or use Conflicts.prefix()`;
        return { problem };
      }
      if (!holds) continue;
      if (rank !== -1 || order.includes(rival.name)) {
        const problem = `"${bare}" of "${tool.backend}" loses its name to "${rival.name}", which comes first in the order of priority: rename one of them`;
        return { problem };
      }
      name = this.#prefixed(tool.backend, bare);
    }
    return { name };
  }

  #holds(backend: AnyBackend, bare: string): boolean | undefined {
    if (this.#configs.has(backend.name)) return undefined;
    return backend.locked?.toolNames.some(name => this.bare({ backend: backend.name, name }) === bare);
  }

  #prefixed(backend: string, name: string): string {
    return this.getPrefix(backend) + name;
  }
}
