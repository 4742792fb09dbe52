import { extractTerms } from './words.ts';

/** What a client looks for. */
export interface ToolQuery {
  /** In a sentence. */
  readonly description: string;
  /** Words to find it by; those of the description when there are none. */
  readonly keywords?: readonly string[] | undefined;
}

/** How many terms count; a description may be a whole page. */
const MAX_TERMS = 64;

/** Characters that are read of a description, and of all keywords together: nothing else is served meanwhile. */
const MAX_LENGTH = 32_768;

/** The terms that are looked for: of the keywords, or of the description where these hold none. */
export function queryTerms({ description, keywords = [] }: ToolQuery): readonly string[] {
  let left = MAX_LENGTH;
  const terms = new Set<string>();
  for (const keyword of keywords) {
    for (const term of extractTerms(keyword.slice(0, left))) terms.add(term);
    left = Math.max(0, left - keyword.length);
  }
  const all = terms.size > 0 ? terms : new Set(extractTerms(description.slice(0, MAX_LENGTH)));
  return [...all].slice(0, MAX_TERMS);
}
