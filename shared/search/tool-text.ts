/** The parts of a tool's definition that are searched. */
import { detachString } from './detach-string.ts';

/** A tool as MCP lists it. Members of a wrong type are ignored. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly annotations?: unknown;
  readonly inputSchema?: unknown;
}

/** One text of a tool. */
export interface Field {
  readonly text: string;
  /** The weight of a word in this text, relative to a word of a description. */
  readonly weight: number;
}

const WEIGHTS = { name: 3, title: 2, description: 1, parameter: 0.5, parameterText: 0.25 } as const;

/** How deep parameters are searched: parameters that are objects have their own parameters included, but not those below. */
const MAX_DEPTH = 2;

/** Maximum number of characters of one tool that are searched. */
const MAX_LENGTH = 32_768;

/** The texts of a tool, the most descriptive first. */
export function extractFields(tool: ToolDefinition): readonly Field[] {
  const { name, title, description } = readOwnTexts(tool);
  const fields = [
    { text: name, weight: WEIGHTS.name },
    { text: title, weight: WEIGHTS.title },
    { text: description, weight: WEIGHTS.description },
    ...listParameters(tool.inputSchema, MAX_DEPTH),
  ];
  let remaining = MAX_LENGTH;
  return fields.flatMap(({ text, weight }) => {
    const cut = text.slice(0, Math.max(remaining, 0));
    remaining -= text.length;
    return cut === '' ? [] : [{ text: cut, weight }];
  });
}

/** The texts in a tool's definition; empty for missing ones. */
export interface OwnTexts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Names of the top-level parameters. */
  readonly parameters: readonly string[];
}

export function readOwnTexts({ name, title, description, annotations, inputSchema }: ToolDefinition): OwnTexts {
  const properties = readMember(inputSchema, 'properties');
  return {
    name,
    title: toText(title) || toText(readMember(annotations, 'title')),
    description: toText(description),
    parameters: typeof properties === 'object' && properties !== null ? Object.keys(properties) : [],
  };
}

/** Maximum number of characters of an embedded text: models read a few hundred words, and services refuse much longer texts. */
const MAX_EMBEDDED_LENGTH = 4_096;

/** The text by which a tool is embedded. */
export function toEmbeddedText(tool: ToolDefinition): string {
  return toEmbeddedQuery(`name: ${tool.name} description: ${toText(tool.description)}`);
}

/** The text by which a query is embedded. Services refuse half a surrogate pair. */
export function toEmbeddedQuery(description: string): string {
  if (description.length <= MAX_EMBEDDED_LENGTH) return description.toWellFormed();
  return detachString(description.slice(0, MAX_EMBEDDED_LENGTH)).toWellFormed();
}

function listParameters(schema: unknown, depth: number): Field[] {
  const properties = readMember(schema, 'properties');
  if (depth === 0 || typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, property]) => [
    { text: name, weight: WEIGHTS.parameter },
    { text: toText(readMember(property, 'description')), weight: WEIGHTS.parameterText },
    { text: formatChoices(property), weight: WEIGHTS.parameterText },
    ...listParameters(property, depth - 1),
    ...listParameters(readMember(property, 'items'), depth - 1),
  ]);
}

/** The values of a parameter, as text. Many tools do several things, and have a parameter that selects one of these by a word. */
function formatChoices(property: unknown): string {
  const choices = readMember(property, 'enum');
  return Array.isArray(choices) ? choices.filter(choice => typeof choice === 'string').join(' ') : '';
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
