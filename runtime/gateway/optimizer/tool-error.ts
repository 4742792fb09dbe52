import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';

/** A refusal that a model should read and correct: it becomes the result of the tool, in place of a JSON-RPC error. */
export class ToolError extends WireError {
  constructor(message: string) {
    super(WIRE_CODE.invalidParams, message);
    this.name = 'ToolError';
  }
}

/** The error for a tool that does not exist, or not for this caller. */
export function createToolNotFound(name: string): ToolError {
  return new ToolError(`tool not found: ${name}`);
}
