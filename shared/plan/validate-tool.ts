import { isObject } from '#schemas';
import { findCompileError } from './output-schema.ts';
import { readParamHeaders } from './param-headers.ts';
import { validateSchema } from './schema-shape.ts';

/**
 * Most characters of a name that clients see.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
 */
const MAX_TOOL_NAME_LENGTH = 128;

/** Why clients must not get a tool's definition, in a few words; undefined when they may. */
export function validateTool(tool: { readonly [member: string]: unknown }): string | undefined {
  const { inputSchema, outputSchema } = tool;
  if (!isObject(inputSchema)) return 'inputSchema must be a JSON Schema of type "object"';
  if (inputSchema.type !== 'object') return 'inputSchema must have "type": "object"';
  const inputViolation = validateSchema(inputSchema);
  if (inputViolation !== undefined) return `inputSchema: ${inputViolation}`;
  const headers = readParamHeaders(inputSchema);
  if (!headers.ok) return headers.violation;
  if (outputSchema === undefined) return undefined;
  const outputViolation =
    validateSchema(outputSchema) ?? (isObject(outputSchema) ? findCompileError(outputSchema) : 'must be an object');
  return outputViolation === undefined ? undefined : `outputSchema: ${outputViolation}`;
}

/** Characters that are invisible or change how others look: such a name can look like another tool's. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}]/u;

/**
 * Why a name cannot be shown to clients, in a few words; undefined when it can. Characters beyond `A-Za-z0-9_.-` are allowed: MCP advises
 * against them, but many clients accept them.
 */
export function validateToolName(name: string): string | undefined {
  if (name.length > MAX_TOOL_NAME_LENGTH) return `the name is longer than ${MAX_TOOL_NAME_LENGTH} characters`;
  if (UNSEEN.test(name)) return 'the name has spaces, control characters or invisible ones';
  return undefined;
}
