import { extractTerms } from './words.ts';

/** A search request of a client. */
export interface ToolQuery {
  /** A description of the wanted tool, as a sentence. */
  readonly description: string;
  /** Keywords to search; without any, the words of the description are used. */
  readonly keywords?: readonly string[] | undefined;
}

/** Maximum number of terms that are used; a description may be a whole page. */
const MAX_TERMS = 64;

/** Maximum number of characters that are read of a description, and of all keywords together: reading them blocks every other request. */
const MAX_LENGTH = 32_768;

/** The search terms: those of the keywords, or of the description when the keywords contain none. */
export function queryTerms({ description, keywords = [] }: ToolQuery): readonly string[] {
  let remaining = MAX_LENGTH;
  const terms = new Set<string>();
  for (const keyword of keywords) {
    for (const term of extractTerms(keyword.slice(0, remaining))) terms.add(term);
    remaining = Math.max(0, remaining - keyword.length);
  }
  const all = terms.size > 0 ? terms : new Set(extractTerms(description.slice(0, MAX_LENGTH)));
  return [...all].slice(0, MAX_TERMS);
}
