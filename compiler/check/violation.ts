/** What the structural check finds. */

/** Steps from the root of the checked value: field names and list indices. */
export type Path = readonly (string | number)[];

/** One way in which a value differs from its schema. Plain data; positions are added where the text is known. */
export type Violation = {
  /** From the checked root to the value, or for an unknown field to that field. A missing field: its parent. */
  readonly path: Path;
  /** Whether the key or the value at `path` is to be pointed at. */
  readonly at: 'key' | 'value';
  readonly kind:
    | 'unknown-field'
    | 'missing-field'
    | 'wrong-type'
    | 'not-in-enum'
    | 'pattern'
    | 'bounds'
    | 'format'
    | 'duplicate-item';
  /** One sentence without a full stop: what is allowed and what was found. Free of sensitive values. */
  readonly message: string;
  /** What is allowed, such as `an integer` or `1 to 65535`. */
  readonly expected?: string;
  /** A value that is allowed, where `expected` is a form. */
  readonly example?: string;
  /** Known fields or enum values, for nearest-name hints. */
  readonly candidates?: readonly string[];
  /** The unknown or missing field; for a list map, the keys by which its items must differ. */
  readonly field?: string;
};

/** A finding before its place is known. */
export type Finding = Omit<Violation, 'path' | 'at'>;
