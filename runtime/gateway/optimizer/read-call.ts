/** Reads the arguments of the optimizer's two tools. */
import type { ToolQuery } from '#shared/search';
import type { Envelope, Span } from '../../mcp/envelope.ts';
import { iterateMembers, type JsonMember, removeMembers } from '../../mcp/json/members.ts';
import { readEnvelope } from '../../mcp/read-envelope.ts';
import { ToolError } from './tool-error.ts';

/** Maximum number of keywords that are used; further ones are ignored. */
const MAX_KEYWORDS = 64;

/**
 * Reads the arguments of `find_tool`.
 * @throws ToolError for arguments that are not those of `find_tool`
 */
export function readToolQuery(envelope: Envelope): ToolQuery {
  const args = readArguments(envelope);
  const { tool_description: description, tool_keywords: keywords = [] } = envelope.valueAt(args) as {
    readonly [name: string]: unknown;
  };
  if (typeof description !== 'string') {
    throw new ToolError('tool_description is required and must be a string: say what the tool should do');
  }
  const isList = Array.isArray(keywords) && keywords.every(keyword => typeof keyword === 'string');
  if (keywords !== null && !isList) throw new ToolError('tool_keywords must be a list of strings');
  return { description, keywords: ((keywords ?? []) as readonly string[]).slice(0, MAX_KEYWORDS) };
}

/**
 * The inner call of a `call_tool` call: the same message with the inner name and arguments. Policies, counts and relaying therefore treat it as
 * if the caller had called the tool itself.
 * @throws ToolError for arguments that are not those of `call_tool`
 */
export function readInnerCall(envelope: Envelope): Envelope {
  const { text, name } = envelope;
  const args = readArguments(envelope);
  const own = readMembers(text, args, 'arguments');
  const parametersMember = own.get('parameters');
  const parameters = parametersMember === undefined ? '{}' : text.slice(parametersMember.start, parametersMember.end);
  if (!parameters.startsWith('{')) throw new ToolError('parameters must be an object: the arguments of the tool');
  const outer = own.get('tool_name');
  const edits = outer === undefined ? readInnerName(parameters) : { name: readString(text, outer), parameters };
  return readEnvelope(
    applyEdits(text, [
      { span: name as Span, json: JSON.stringify(edits.name) },
      { span: args, json: edits.parameters },
    ]),
  );
}

/** Finds the name inside of the arguments, where some models put it. */
function readInnerName(parameters: string): { readonly name: string; readonly parameters: string } {
  const inner = readMembers(parameters, { start: 0, end: parameters.length }, 'parameters').get('tool_name');
  if (inner === undefined) throw new ToolError('tool_name is required: the name of a tool that find_tool has found');
  return {
    name: readString(parameters, inner),
    parameters: removeMembers(parameters, 0, new Set(['tool_name'])),
  };
}

function readArguments({ text, arguments: span }: Envelope): Span {
  if (span === undefined || text[span.start] !== '{') throw new ToolError('arguments must be an object');
  return span;
}

/** The members of an object in the text. Parsers differ on duplicate members: the gateway must decide by the one that the backend reads. */
function readMembers(text: string, { start }: Span, what: string): ReadonlyMap<string, JsonMember> {
  const members = new Map<string, JsonMember>();
  for (const member of iterateMembers(text, start)) {
    if (members.has(member.name)) throw new ToolError(`${what} must not have "${member.name}" twice`);
    members.set(member.name, member);
  }
  return members;
}

function readString(text: string, { start, end }: Span): string {
  const value: unknown = JSON.parse(text.slice(start, end));
  if (typeof value !== 'string') throw new ToolError('tool_name must be a string');
  return value;
}

interface Edit {
  readonly span: Span;
  readonly json: string;
}

/** Applies edits in the order of their positions: members may have any order. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { span, json } of edits.toSorted((a, b) => a.span.start - b.span.start)) {
    result += text.slice(at, span.start) + json;
    at = span.end;
  }
  return result + text.slice(at);
}
