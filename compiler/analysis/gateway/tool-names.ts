import type { CallableTools } from '#shared/plan';
import type { ToolModel } from './model.ts';

/** Finds tools by name. Each index is built on first use, since many gateways need none. */
export class ToolNames implements CallableTools<ToolModel> {
  readonly #tools: readonly ToolModel[];
  #byName: ReadonlyMap<string, ToolModel> | undefined;
  #byBackend: ReadonlyMap<string, ReadonlyMap<string, ToolModel>> | undefined;

  constructor(tools: readonly ToolModel[]) {
    this.#tools = tools;
  }

  /** Finds a tool by the name that the gateway gives it. */
  findByName(name: string): ToolModel | undefined {
    this.#byName ??= new Map(this.#tools.map(tool => [tool.name, tool]));
    return this.#byName.get(name);
  }

  /** Finds a tool by its name at the backend. */
  findByOriginalName(backend: string, originalName: string): ToolModel | undefined {
    return this.getToolsOf(backend).get(originalName);
  }

  /** The tools of one backend, by original name. */
  getToolsOf(backend: string): ReadonlyMap<string, ToolModel> {
    this.#byBackend ??= new Map(
      [...Map.groupBy(this.#tools, tool => tool.backend)].map(([name, tools]) => [
        name,
        new Map(tools.map(tool => [tool.originalName, tool])),
      ]),
    );
    return this.#byBackend.get(backend) ?? NONE;
  }
}

const NONE: ReadonlyMap<string, ToolModel> = new Map();
