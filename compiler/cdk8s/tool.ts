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
  /** The name of the workload, or of the backend that is written out in a gateway. */
  readonly name: string;
  readonly toolNames: readonly (keyof T & string)[];
  /** What the fields of structured outputs are, by tool: templates print numbers and texts in different ways. */
  readonly outputs?: Readonly<Record<string, ValueKind>>;
  /** No backend was queried yet, so each name may be one of a tool: see {@link unlockedCatalog}. */
  readonly isUnlocked?: boolean;
  /** Never there: it carries the types. */
  readonly signatures?: T;
}

/** @param locked is written by `lintel lock --types` */
export function lockedBackend<T extends ToolSignatures>(
  locked: Pick<LockedBackend<T>, 'key' | 'name' | 'toolNames' | 'outputs'>,
): LockedBackend<T> {
  return locked;
}

/**
 * What stands for `lintel.lock.ts` while `lintel lock` reads a program: which backends there are does not hang on what they offered
 * before, if they were asked at all.
 */
export const unlockedCatalog: { readonly [backend: string]: LockedBackend } = new Proxy(
  {},
  {
    get: (_, name) => (typeof name === 'string' ? { key: name, name, toolNames: [], isUnlocked: true } : undefined),
  },
);

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

/** Every tool of a backend, by name: `github.tools.create_issue`. Mapped so that the descriptions of the lock show when one is chosen. */
export type ToolsOf<T extends ToolSignatures> = { readonly [N in keyof T]: Tool<T[N]> };

/**
 * The tools of a locked backend.
 *
 * @param backend its name in the gateway, when that is not the one of the lock
 */
export function bindTools<T extends ToolSignatures>(
  locked: LockedBackend<T>,
  backend: string = locked.name,
): ToolsOf<T> {
  if (locked.isUnlocked) return anyTools(backend) as ToolsOf<T>;
  const { toolNames, outputs = {} } = locked;
  // Without a prototype: backends name their tools as they like.
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
