/** The result of a TypeScript program: its objects, and how to locate the origins of their values. */

/** A position in the bundled program. */
export interface Frame {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

/** A value in the arguments of one call. */
export interface CallSiteFrames {
  /** The calls that led there, innermost first, in the bundle; without frames of Node. */
  readonly frames: readonly Frame[];
  /** The index of the argument, then field names and list indices; empty for the call itself. */
  readonly argument: readonly (string | number)[];
  /** `at` is the position of the argument, not the origin of its value. */
  readonly at?: 'key';
}

export interface SynthesizedObject {
  /** Plain data, as cdk8s would write it. */
  readonly value: unknown;
  /** Such as `Eng/Gateway/Resource`. */
  readonly constructPath: string;
  /** Origins of values by RFC 6901 pointer into `value`; the longest matching pointer counts. `''` always exists. */
  readonly origins: readonly { readonly pointer: string; readonly callSite: CallSiteFrames }[];
  /** JSON patches (RFC 6902) of the object, applied through the escape hatch. `given` is the `value` of the patch. */
  readonly patches: readonly { readonly op: string; readonly path: string; readonly callSite?: CallSiteFrames }[];
}

export interface SynthesizedChart {
  /** The chart's id in the construct tree, such as `Eng`. */
  readonly constructPath: string;
  readonly objects: readonly SynthesizedObject[];
}

export interface SynthesizedProgram {
  /** As displayed, such as `app.ts`. */
  readonly entry: string;
  readonly charts: readonly SynthesizedChart[];
  /** Source map (ECMA-426) of the bundle, as parsed JSON; `sources` are absolute paths. */
  readonly sourceMap: unknown;
  /** Resolved imports of the program's own files: by file and specifier, the imported file; all absolute. */
  readonly imports?: { readonly [file: string]: { readonly [specifier: string]: string } };
  /** Files of the program outside of `node_modules`, absolute and sorted: the files to watch. */
  readonly inputs: readonly string[];
}
