import { type Hit, Ranking } from './ranking.ts';
import type { Selection } from './selection.ts';
import type { Field } from './tool-text.ts';
import { extractTerms } from './words.ts';

/** How soon repetitions of a term add little (`k1` of BM25). */
const SATURATION = 1.2;

/** How much the length of a tool's text lowers its score: 0 not at all, 1 in full (`b` of BM25). */
const LENGTH_PENALTY = 0.6;

/** The documents that contain a term, with the term's weighted frequency in each. */
class Postings {
  readonly ids: number[] = [];
  readonly frequencies: number[] = [];

  /** Documents have to be added in ascending order of their ids. */
  add(id: number, weight: number): void {
    const { ids, frequencies } = this;
    const last = ids.length - 1;
    if (ids[last] === id) frequencies[last] = (frequencies[last] as number) + weight;
    else {
      ids.push(id);
      frequencies.push(weight);
    }
  }
}

/**
 * Ranks by BM25F: the frequency of a term is the weighted sum over the fields of a document. The rarity of a term is computed over the documents
 * that are searched, so the result reveals nothing about other documents and does not depend on them.
 *
 * @see https://doi.org/10.1561/1500000019
 */
export class KeywordIndex {
  readonly #terms = new Map<string, Postings>();
  readonly #lengths: number[] = [];

  get size(): number {
    return this.#lengths.length;
  }

  /** Weighted number of terms of a document. */
  getLength(id: number): number {
    return this.#lengths[id] ?? 0;
  }

  /** @returns the id of the document: ids count up from 0 */
  add(fields: readonly Field[]): number {
    const id = this.#lengths.length;
    let length = 0;
    for (const { text, weight } of fields) {
      for (const term of extractTerms(text)) {
        this.#getPostings(term).add(id, weight);
        length += weight;
      }
    }
    this.#lengths.push(length);
    return id;
  }

  /** Documents of the selection that contain any of the terms, best first. */
  find(terms: readonly string[], selection: Selection, limit: number): readonly Hit[] {
    const scores = new Float64Array(selection.size);
    for (const term of new Set(terms)) {
      const postings = this.#terms.get(term);
      if (postings !== undefined) this.#addScores(postings, selection, scores);
    }
    const ranking = new Ranking(limit);
    for (let position = 0; position < scores.length; position++) {
      const score = scores[position] as number;
      if (score > 0) ranking.add(position, score);
    }
    return ranking.listHits();
  }

  #getPostings(term: string): Postings {
    let postings = this.#terms.get(term);
    if (postings === undefined) {
      postings = new Postings();
      this.#terms.set(term, postings);
    }
    return postings;
  }

  #addScores({ ids, frequencies }: Postings, selection: Selection, scores: Float64Array): void {
    let holders = 0;
    for (const id of ids) if (selection.findPosition(id) >= 0) holders++;
    const rarity = Math.log(1 + (selection.size - holders + 0.5) / (holders + 0.5));
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number;
      const position = selection.findPosition(id);
      if (position < 0) continue;
      const frequency = frequencies[at] as number;
      const length = (this.#lengths[id] as number) / selection.averageLength;
      const saturation = SATURATION * (1 - LENGTH_PENALTY + LENGTH_PENALTY * length);
      scores[position] = (scores[position] as number) + (rarity * frequency) / (frequency + saturation);
    }
  }
}
