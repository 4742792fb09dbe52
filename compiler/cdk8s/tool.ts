/** What a tool takes and gives, as `lintel lock --types` writes it. */
export interface ToolSignature {
  readonly input: object;
  /** `structuredContent`; `unknown` for a tool that declares no output schema. */
  readonly output: unknown;
}

/** The tools of one backend, by their names at the backend. */
export type ToolSignatures = { readonly [name: string]: ToolSignature };

/** A backend of the tool lock: which tools there are, and of which types. Made by the generated `lintel.lock.ts`. */
export interface LockedBackend<T extends ToolSignatures = ToolSignatures> {
  /** Its key in `lintel.lock.json`. */
  readonly key: string;
  /** Of the workload, or of the backend that is written out in a gateway. */
  readonly name: string;
  readonly toolNames: readonly (keyof T & string)[];
  /** What the fields of structured outputs are, by tool: templates print numbers and texts in different ways. */
  readonly outputs?: Readonly<Record<string, ValueKind>>;
  /** Never there: it carries the types. */
  readonly signatures?: T;
}

/** @param locked is written by `lintel lock --types` */
export function lockedBackend<T extends ToolSignatures>(
  locked: Pick<LockedBackend<T>, 'key' | 'name' | 'toolNames' | 'outputs'>,
): LockedBackend<T> {
  return locked;
}

/** One tool of a backend, as grants, exposures and workflow steps name it. */
export interface Tool<S extends ToolSignature = ToolSignature> {
  /** The backend's name. */
  readonly backend: string;
  /** At the backend; what clients see follows from the gateway's conflict strategy. */
  readonly name: string;
  /** What the fields of its structured output are, as far as the tool lock says. */
  readonly output?: ValueKind;
  /** Never there: it carries the types. */
  readonly signature?: S;
}

/**
 * What a value is when the workflow runs, by field and for all items of a list: `json` for lists and objects of any kind, `count`
 * for what templates count themselves.
 */
export type ValueKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'json'
  | 'count'
  | { readonly [field: string]: ValueKind }
  | readonly [ValueKind];

/** Every tool of a backend, by name: `github.tools.create_issue`. */
export type ToolsOf<T extends ToolSignatures> = { readonly [N in keyof T & string]: Tool<T[N]> };

/**
 * The tools of a locked backend.
 *
 * @param backend its name in the gateway, when that is not the one of the lock
 */
export function toolsOf<T extends ToolSignatures>(locked: LockedBackend<T>, backend: string = locked.name): ToolsOf<T> {
  const { toolNames, outputs = {} } = locked;
  // Without a prototype: backends name their tools as they like.
  const tools: Record<string, Tool> = Object.create(null);
  for (const name of toolNames) {
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    tools[name] = { backend, name, ...(output !== undefined && { output }) };
  }
  return tools as ToolsOf<T>;
}
