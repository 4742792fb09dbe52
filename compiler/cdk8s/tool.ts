/** The input and output of a tool, as `lintel lock --types` writes them. */
export interface ToolSignature {
  readonly input: object;
  /** The type of the `structuredContent` of results; `unknown` for a tool that declares no output schema. */
  readonly output: unknown;
}

/** The tools of one backend, by original name. */
export type ToolSignatures = { readonly [name: string]: ToolSignature };

/** A backend of the tool lock: its tools and their types. Created by the generated `lintel.lock.ts`. */
export interface LockedBackend<T extends ToolSignatures = ToolSignatures> {
  /** The key of the backend in `lintel.lock.json`. */
  readonly key: string;
  /** The name of the workload, or of the inline backend in a gateway. */
  readonly name: string;
  readonly toolNames: readonly (keyof T & string)[];
  /** The types of the fields of structured outputs, by tool: templates print numbers and strings differently. */
  readonly outputs?: Readonly<Record<string, ValueKind>>;
  /** No backend has been queried yet, so any name may be a tool: see {@link unlockedCatalog}. */
  readonly isUnlocked?: boolean;
  /** Never set: the member only carries the types. */
  readonly signatures?: T;
}

/** @param locked is written by `lintel lock --types` */
export function lockedBackend<T extends ToolSignatures>(
  locked: Pick<LockedBackend<T>, 'key' | 'name' | 'toolNames' | 'outputs'>,
): LockedBackend<T> {
  return locked;
}

/**
 * Replaces `lintel.lock.ts` while `lintel lock` reads a program. Which backends a program has must not depend on what the backends offered before, or
 * on whether they were ever queried.
 */
export const unlockedCatalog: { readonly [backend: string]: LockedBackend } = new Proxy(
  {},
  {
    get: (_, name) => (typeof name === 'string' ? { key: name, name, toolNames: [], isUnlocked: true } : undefined),
  },
);

/** One tool of a backend, for grants, exposures and workflow steps. */
export interface Tool<S extends ToolSignature = ToolSignature> {
  /** The backend's name. */
  readonly backend: string;
  /** The original name; the name that clients see follows from the gateway's conflict strategy. */
  readonly name: string;
  /** The types of the fields of the tool's structured output, as far as the tool lock has them. */
  readonly output?: ValueKind;
  /** Never set: the member only carries the types. */
  readonly signature?: S;
}

/**
 * The type of a value at run time, by field and for all items of a list. `json`: a list or an object of any kind. `count`: a number that a Go
 * template computes itself, such as an index; Go gives it another type than a number from JSON.
 */
export type ValueKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'json'
  | 'count'
  | { readonly [field: string]: ValueKind }
  | readonly [ValueKind];

/** Every tool of a backend, by name: `github.tools.create_issue`. A mapped type, so that editors show the lock's descriptions. */
export type ToolsOf<T extends ToolSignatures> = { readonly [N in keyof T]: Tool<T[N]> };

/**
 * The tools of a locked backend.
 * @param backend its name in the gateway, if different from the lock's
 */
export function bindTools<T extends ToolSignatures>(
  locked: LockedBackend<T>,
  backend: string = locked.name,
): ToolsOf<T> {
  if (locked.isUnlocked) return anyTools(backend) as ToolsOf<T>;
  const { toolNames, outputs = {} } = locked;
  // The object has no prototype, because a backend may use any name for a tool.
  const tools: Record<string, Tool> = Object.create(null);
  for (const name of toolNames) {
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    tools[name] = { backend, name, ...(output !== undefined && { output }) };
  }
  return tools as ToolsOf<T>;
}

function anyTools(backend: string): object {
  return new Proxy(Object.create(null), {
    get: (_, name) => (typeof name === 'string' ? { backend, name } : undefined),
  });
}
