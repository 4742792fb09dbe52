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
  /** Never there: it carries the types. */
  readonly signatures?: T;
}

/** @param locked is written by `lintel lock --types` */
export function lockedBackend<T extends ToolSignatures>(
  locked: Pick<LockedBackend<T>, 'key' | 'name' | 'toolNames'>,
): LockedBackend<T> {
  return locked;
}

/** One tool of a backend, as grants, exposures and workflow steps name it. */
export interface Tool<S extends ToolSignature = ToolSignature> {
  /** The backend's name. */
  readonly backend: string;
  /** At the backend; what clients see follows from the gateway's conflict strategy. */
  readonly name: string;
  /** Never there: it carries the types. */
  readonly signature?: S;
}

/** Every tool of a backend, by name: `github.tools.create_issue`. */
export type ToolsOf<T extends ToolSignatures> = { readonly [N in keyof T & string]: Tool<T[N]> };
