/** Which tool a step of a workflow means. The compiler asks this of the tool lock and the runtime of live backends. */
/** The tools that steps can call, hidden ones included. */
export interface CallableTools<Tool> {
  /** By the name that the gateway gives it. */
  named(name: string): Tool | undefined;
  /** By the backend's own name. */
  owned(backend: string, originalName: string): Tool | undefined;
}

/**
 * The tool of a reference: by the name that the gateway gives it, or as `<backend>.<own name>`. Names of backends may hold dots, so
 * every dot may be the one.
 *
 * @param backends the names of all
 */
export function findStepTool<Tool>(
  reference: string,
  backends: readonly string[],
  tools: CallableTools<Tool>,
): Tool | undefined {
  const named = tools.named(reference);
  if (named !== undefined) return named;
  for (const name of findOwners(reference, backends)) {
    const tool = tools.owned(name, reference.slice(name.length + 1));
    if (tool !== undefined) return tool;
  }
  return undefined;
}

/** The backends that a reference may name. */
export function findOwners(reference: string, backends: readonly string[]): readonly string[] {
  return backends.filter(name => reference.startsWith(`${name}.`));
}

/** What the input schema of a tool says an argument is; empty when it does not. */
export function argumentTypes(inputSchema: unknown, name: string): readonly string[] {
  const type = memberOf(memberOf(memberOf(inputSchema, 'properties'), name), 'type');
  return [type].flat().filter(one => typeof one === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
