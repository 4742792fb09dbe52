/** Tools of public MCP servers, queries that people wrote for them, and embeddings of both. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogLock } from '#schemas';
import { type ToolDefinition, toEmbeddedText } from '#shared/search';

const FOLDER = import.meta.dirname;
const EMBEDDINGS = join(FOLDER, 'embeddings.json');

/** A query that its author wrote from the purpose of a server only, and then the names of the tools that it should find; most have one. */
export interface JudgedQuery {
  readonly query: string;
  readonly server: string;
  readonly tools: readonly string[];
}

/** The tools in the form in which a gateway with prefixes lists them. */
export function corpusTools(): readonly ToolDefinition[] {
  const { backends } = read('lintel.lock.json') as CatalogLock;
  return Object.entries(backends).flatMap(([key, { tools = {} }]) =>
    Object.values(tools).map(({ definition }) => {
      const tool = definition as unknown as ToolDefinition;
      return { ...tool, name: `${key.split('/').at(-1)}_${tool.name}` };
    }),
  );
}

/** `open` for tuning; `held-out` was set aside and only ever measured. */
export function corpusQueries(set: 'open' | 'held-out'): readonly JudgedQuery[] {
  return read(`queries-${set}.json`) as readonly JudgedQuery[];
}

export function isRight({ server, tools }: JudgedQuery, name: string | undefined): boolean {
  return tools.some(tool => `${server}_${tool}` === name);
}

/** All embedded texts, without duplicates. */
export function corpusTexts(): readonly string[] {
  const queries = [...corpusQueries('open'), ...corpusQueries('held-out')].map(({ query }) => query);
  return [...new Set([...corpusTools().map(toEmbeddedText), ...queries])];
}

/**
 * The embedding of each text, from the model that the file names. Each number is stored with eight bits, which does not change the ranking by
 * cosine.
 */
export function recordedEmbeddings(): (text: string) => ArrayLike<number> {
  const { vectors } = read('embeddings.json') as { readonly vectors: Readonly<Record<string, string>> };
  return text => {
    const vector = vectors[digestOf(text)];
    if (vector === undefined) throw new Error(`no embedding is recorded of: ${text.slice(0, 80)}`);
    return Int8Array.from(Buffer.from(vector, 'base64'), byte => (byte << 24) >> 24);
  };
}

export function recordEmbeddings(model: string, vectors: ReadonlyMap<string, readonly number[]>): void {
  const written = [...vectors]
    .map(([text, vector]) => [digestOf(text), quantized(vector)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(EMBEDDINGS, `${JSON.stringify({ model, vectors: Object.fromEntries(written) }, null, 1)}\n`);
}

function quantized(vector: readonly number[]): string {
  const largest = Math.max(...vector.map(Math.abs)) || 1;
  return Buffer.from(Int8Array.from(vector, number => Math.round((number / largest) * 127)).buffer).toString('base64');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
}
