import { isObject } from '../json-object.ts';
import { findCompileError } from './output-schema.ts';
import { paramHeaders } from './param-headers.ts';
import { validateSchema } from './schema-shape.ts';

/**
 * Characters that a name shown to clients may have.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
 */
const MAX_TOOL_NAME_LENGTH = 128;

/** Why a tool as its backend describes it must not reach clients, in a few words; undefined when it may. */
export function validateTool(tool: { readonly [member: string]: unknown }): string | undefined {
  const { inputSchema, outputSchema } = tool;
  if (!isObject(inputSchema)) return 'inputSchema must be a JSON Schema of type "object"';
  if (inputSchema.type !== 'object') return 'inputSchema must have "type": "object"';
  const inputViolation = validateSchema(inputSchema);
  if (inputViolation !== undefined) return `inputSchema: ${inputViolation}`;
  const headers = paramHeaders(inputSchema);
  if (!headers.ok) return headers.violation;
  if (outputSchema === undefined) return undefined;
  const outputViolation =
    validateSchema(outputSchema) ?? (isObject(outputSchema) ? findCompileError(outputSchema) : 'must be an object');
  return outputViolation === undefined ? undefined : `outputSchema: ${outputViolation}`;
}

/** Invisible characters, or those that change how the rest is seen: such a name can look like that of another tool. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}]/u;

/**
 * Why a name cannot be shown to clients, in a few words; undefined when it can. Letters and signs beyond `A-Za-z0-9_.-` are
 * not among the reasons: MCP advises against them, and many clients take them.
 */
export function validateToolName(name: string): string | undefined {
  if (name.length > MAX_TOOL_NAME_LENGTH) return `the name is longer than ${MAX_TOOL_NAME_LENGTH} characters`;
  if (UNSEEN.test(name)) return 'the name has spaces, control characters or invisible ones';
  return undefined;
}
