import { ToolIndex } from './tool-index.ts';
import { readOwnTexts, type ToolDefinition } from './tool-text.ts';
import { extractTerms } from './words.ts';

/** Keywords alone: there may be no embeddings, and a model is not asked here. */
const SETTINGS = { maxTools: 1, semanticRatio: 0, distanceThreshold: 0 };

/**
 * Tools that a search by keywords never finds first, whatever of their own words is asked for, because those of another one say as much. Some
 * of equals is first, and is not among them.
 *
 * @returns for the position of each such tool, the position of the one that is first for all of its words
 */
export function findOvershadowedTools(tools: readonly ToolDefinition[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const doubtful = findWithoutOwnWord(tools);
  if (doubtful.length === 0) return found;
  const index = new ToolIndex();
  const selection = index.select(tools.map(tool => index.add(tool)));
  const firstFor = (description: string): number | undefined =>
    index.search({ description }, selection, SETTINGS).hits()[0]?.position;
  for (const at of doubtful) {
    const [all = '', ...others] = listQueries(tools[at] as ToolDefinition);
    const first = firstFor(all);
    // Where nothing of a tool can be searched, no other one stands before it.
    if (first === undefined || first === at || others.some(query => firstFor(query) === at)) continue;
    found.set(at, first);
  }
  return found;
}

/** Positions of tools each of whose words another one has as well. A word that no other has finds its tool alone: most need no search. */
function findWithoutOwnWord(tools: readonly ToolDefinition[]): readonly number[] {
  const words = tools.map(tool => {
    const { name, title, description } = readOwnTexts(tool);
    return new Set(extractTerms([name, title, description].join(' ')));
  });
  const holders = new Map<string, number>();
  for (const terms of words) for (const term of terms) holders.set(term, (holders.get(term) ?? 0) + 1);
  return [...words.keys()].filter(at => ![...(words[at] ?? [])].some(term => holders.get(term) === 1));
}

/** Queries of a model that wants this tool and has read its definition; those by what the definition says first. */
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
