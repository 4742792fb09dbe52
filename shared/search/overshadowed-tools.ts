import { ToolIndex } from './tool-index.ts';
import { readOwnTexts, type ToolDefinition } from './tool-text.ts';
import { extractTerms } from './words.ts';

/** Keywords only: there may be no embeddings, and no model is called here. */
const SETTINGS = { maxTools: 1, semanticRatio: 0, distanceThreshold: 0 };

/**
 * Tools that a keyword search never ranks first, even for a query of their own words, because the definition of another tool contains all of these
 * words too. The first of several equal tools is not among them.
 *
 * @returns the position of each such tool, with the position of the tool that ranks first for all of its words
 */
export function findOvershadowedTools(tools: readonly ToolDefinition[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const doubtful = findWithoutOwnWord(tools);
  if (doubtful.length === 0) return found;
  const index = new ToolIndex();
  const selection = index.select(tools.map(tool => index.add(tool)));
  const firstFor = (description: string): number | undefined =>
    index.search({ description }, selection, SETTINGS).listHits()[0]?.position;
  for (const at of doubtful) {
    const [all = '', ...others] = listQueries(tools[at] as ToolDefinition);
    const first = firstFor(all);
    // A tool without searchable text is not overshadowed: no search finds it.
    if (first === undefined || first === at || others.some(query => firstFor(query) === at)) continue;
    found.set(at, first);
  }
  return found;
}

/** Positions of tools without a unique word. A tool with a word that no other has is always found by it, so most tools need no search. */
function findWithoutOwnWord(tools: readonly ToolDefinition[]): readonly number[] {
  const words = tools.map(tool => {
    const { name, title, description } = readOwnTexts(tool);
    return new Set(extractTerms([name, title, description].join(' ')));
  });
  const holders = new Map<string, number>();
  for (const terms of words) for (const term of terms) holders.set(term, (holders.get(term) ?? 0) + 1);
  return [...words.keys()].filter(at => ![...(words[at] ?? [])].some(term => holders.get(term) === 1));
}

/** Queries that a model could send after it has read the definition; those from the start of the definition first. */
function listQueries(tool: ToolDefinition): readonly string[] {
  const { name, title, description, parameters } = readOwnTexts(tool);
  const [sentence = ''] = description.split(/(?<=[.!?])\s|\n/, 1);
  const queries = [
    [name, title, description],
    [name],
    [title],
    [sentence],
    [description],
    [name, sentence],
    [name, ...parameters],
    [name, title, sentence, ...parameters],
  ].map(texts => texts.join(' ').trim());
  return [...new Set(queries)].filter(query => query !== '');
}
