/** What came out of a TypeScript program: its objects, and how to find the places where their values were given. */

/** A place in the bundled program. */
export interface Frame {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

/** A value that was given in the arguments of one call. */
export interface CallSiteFrames {
  /** The calls that led there, the innermost first, in the bundle; those of Node itself are left out. */
  readonly frames: readonly Frame[];
  /** The index of the argument, then field names and list indices; empty for the call itself. */
  readonly argument: readonly (string | number)[];
  /** The name of the argument is what is meant, and not where its value was made. */
  readonly at?: 'key';
}

export interface SynthesizedObject {
  /** Plain data, as cdk8s would write it. */
  readonly value: unknown;
  /** Such as `Eng/Gateway/Resource`. */
  readonly constructPath: string;
  /** Where values were given, by RFC 6901 pointer into `value`; the longest pointer that fits counts. `''` is always there. */
  readonly origins: readonly { readonly pointer: string; readonly given: CallSiteFrames }[];
  /** JSON patches (RFC 6902) that were laid over the object: the escape hatch. `given` is the `value` of the patch. */
  readonly patches: readonly { readonly op: string; readonly path: string; readonly given?: CallSiteFrames }[];
}

export interface SynthesizedChart {
  /** The id of the chart in the tree, such as `Eng`. */
  readonly constructPath: string;
  readonly objects: readonly SynthesizedObject[];
}

export interface SynthesizedProgram {
  /** As shown to the user, such as `app.ts`. */
  readonly entry: string;
  readonly charts: readonly SynthesizedChart[];
  /** Source map (ECMA-426) of the bundle, as parsed JSON; `sources` are absolute paths. */
  readonly sourceMap: unknown;
  /** What the program's own files import: by file and by the specifier as written, the file that it leads to; all absolute. */
  readonly imports?: { readonly [file: string]: { readonly [specifier: string]: string } };
  /** Files of the program outside of `node_modules`, absolute and sorted: what a watcher watches. */
  readonly inputs: readonly string[];
}
