/** The result of a TypeScript program: its objects, and how to locate the origins of their values. */

/** A position in the bundled program. */
export interface Frame {
  /** The line, counted from 1. */
  readonly line: number;
  /** The column, counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** A value in the arguments of one call. */
export interface CallSiteFrames {
  /** The stack frames of the calls that led to this call, innermost first. Positions are in the bundle; frames of Node are left out. */
  readonly frames: readonly Frame[];
  /** The index of the argument, then field names and list indices; empty for the call itself. */
  readonly argument: readonly (string | number)[];
  /** Set if the position of the argument is meant, and not the origin of its value. */
  readonly at?: 'key';
}

export interface SynthesizedObject {
  /** Plain data, as cdk8s would write it. */
  readonly value: unknown;
  /** The path of the construct, such as `Eng/Gateway/Resource`. */
  readonly constructPath: string;
  /** Origins of values by RFC 6901 pointer into `value`; the longest matching pointer counts. `''` always exists. */
  readonly origins: readonly { readonly pointer: string; readonly callSite: CallSiteFrames }[];
  /** JSON patches (RFC 6902) of the object, applied through the escape hatch. `callSite` is where the `value` of the patch was given. */
  readonly patches: readonly { readonly op: string; readonly path: string; readonly callSite?: CallSiteFrames }[];
}

export interface SynthesizedChart {
  /** The chart's id in the construct tree, such as `Eng`. */
  readonly constructPath: string;
  readonly objects: readonly SynthesizedObject[];
}

export interface SynthesizedProgram {
  /** The file of the program as messages show it, such as `app.ts`. */
  readonly entry: string;
  readonly charts: readonly SynthesizedChart[];
  /** Source map (ECMA-426) of the bundle, as parsed JSON; `sources` are absolute paths. */
  readonly sourceMap: unknown;
  /** Resolved imports of the program's own files: by file and specifier, the imported file; all absolute. */
  readonly imports?: { readonly [file: string]: { readonly [specifier: string]: string } };
  /** Files of the program outside of `node_modules`, absolute and sorted: the files to watch. */
  readonly inputs: readonly string[];
}
