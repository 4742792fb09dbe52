/** The violations that the structural check reports. */

/** Steps from the root of the checked value: field names and list indices. */
export type Path = readonly (string | number)[];

/** One violation of a schema. Plain data; positions are added when the text is known. */
export type Violation = {
  /** The path from the checked root to the value; for an unknown field, to that field; for a missing field, to its parent. */
  readonly path: Path;
  /** Whether a finding points at the key or at the value of `path`. */
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
  /** The allowed values, such as `an integer` or `1 to 65535`. */
  readonly expected?: string;
  /** An allowed value, when `expected` describes a form. */
  readonly example?: string;
  /** Known fields or enum values, for nearest-name hints. */
  readonly candidates?: readonly string[];
  /** The unknown or missing field; for a list map, the keys that must be unique. */
  readonly field?: string;
};

/** A finding before its source location is known. */
export type Finding = Omit<Violation, 'path' | 'at'>;
