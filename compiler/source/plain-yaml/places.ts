import { memberOf } from '../is-mapping.ts';
import type { PlacedNode } from '../locate.ts';
import type { Span } from '../problem.ts';

/** Where a member or item of a collection stands; items have no key. */
type Place = { readonly key?: Span; readonly value: Span };

/** Where the values of a text stand, found by the collection that they are in. */
export class Places {
  readonly #byCollection = new Map<object, Map<string | number, Place>>();

  add(collection: object, step: string | number, place: Place): void {
    const known = this.#byCollection.get(collection);
    if (known) known.set(step, place);
    else this.#byCollection.set(collection, new Map([[step, place]]));
  }

  /** The tree to locate in. */
  placed(value: unknown, span: Span): PlacedNode {
    return {
      span,
      child: step => {
        const isList = Array.isArray(value);
        const name = isList ? Number(step) : String(step);
        const place = this.#byCollection.get(value as object)?.get(name);
        if (place === undefined) return undefined;
        const member = isList ? (value as unknown[])[name as number] : memberOf(value, name as string);
        const { key, value: span } = place;
        if (key === undefined) return { node: this.placed(member, span) };
        // An empty value has no text of its own: it is found right behind its key.
        const isEmpty = span.start === span.end;
        return { key, node: this.placed(member, isEmpty ? { start: key.end, end: key.end } : span) };
      },
    };
  }
}
