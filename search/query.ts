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

/** The terms that are looked for: of the keywords, or of the description where these hold none. */
export function queryTerms({ description, keywords = [] }: ToolQuery): readonly string[] {
  const terms = new Set(keywords.flatMap(extractTerms));
  const all = terms.size > 0 ? terms : new Set(extractTerms(description));
  return [...all].slice(0, MAX_TERMS);
}
