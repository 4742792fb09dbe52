const BACKSLASH = 0x5c;

/** The beginning of a letter that is written as an escape, without the backslash: backslashes are frequent in JSON within JSON. */
const ESCAPED_LETTER = Buffer.from('u00');

/** Members that the gateway inserts into a result, in place of members with the same names. */
export class AddedMembers {
  /** The members as JSON text, without a comma at either end. */
  readonly json: string;
  private readonly _names: ReadonlySet<string>;
  private readonly _ends: readonly NameEnd[];

  constructor(members: { readonly [name: string]: string | number }) {
    this.json = JSON.stringify(members).slice(1, -1);
    this._names = new Set(Object.keys(members));
    this._ends = Object.keys(members).map(name => new NameEnd(name));
  }

  has(name: string): boolean {
    return this._names.has(name);
  }

  /** Whether an answer may contain one of the names, in any spelling. Searches of the bytes with `indexOf` find this. */
  mayStandIn(answer: Buffer): boolean {
    for (let i = 0; i < this._ends.length; i++) if (this._ends[i]?.standsIn(answer)) return true;
    const backslash = answer.indexOf(BACKSLASH);
    return backslash !== -1 && answer.includes(ESCAPED_LETTER, backslash);
  }
}

/** The end of a name, from its capital letter on: `indexOf` scans for the first character of its text, and capitals are rare. */
class NameEnd {
  private readonly _end: Buffer;
  private readonly _before: number;

  constructor(name: string) {
    const capital = Math.max(name.search(/[A-Z]/), 1);
    this._end = Buffer.from(`${name.slice(capital)}"`);
    this._before = name.charCodeAt(capital - 1);
  }

  standsIn(text: Buffer): boolean {
    let at = text.indexOf(this._end);
    while (at !== -1 && text[at - 1] !== this._before) at = text.indexOf(this._end, at + this._end.length);
    return at !== -1;
  }
}
