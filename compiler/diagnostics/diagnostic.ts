import { CODES, type DiagnosticCode } from './codes.ts';
import type { Severity } from './severity.ts';

/** A point between two characters of a file. */
export type Position = {
  /** 1-based; a line ends at LF or CRLF. */
  readonly line: number;
  /** 1-based, in Unicode code points. */
  readonly column: number;
  /** 0-based, in UTF-16 code units of the text; a byte order mark is not part of the text. */
  readonly offset: number;
};

/** A stretch of a file; `end` is exclusive. */
export type Range = { readonly start: Position; readonly end: Position };

/** The object that a finding is about. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** A second location that helps to understand a finding, such as the first of two equal keys. */
export type RelatedLocation = {
  readonly message: string;
  readonly file: string;
  readonly range: Range;
  readonly pointer?: string;
};

/** The name of a program's generated YAML in messages. */
export const SYNTHESIZED = 'in the synthesized YAML';

/** Where a finding is. */
export type SourceLocation = {
  /** The path that messages show: relative to the working directory, with forward slashes. */
  readonly file: string;
  /** The JSON pointer (RFC 6901) from the root of the object; empty for the object as a whole. */
  readonly pointer: string;
  readonly range: Range;
  readonly object?: ObjectRef;
  /** For an object of a program: its construct path, such as `Eng/Gateway/Resource`; `file` is then a file of the program. */
  readonly constructPath?: string;
  /** Other locations of the same value, such as in the generated YAML. */
  readonly related?: readonly RelatedLocation[];
};

/** One finding. Plain data: text, JSON and every other format are views of it. */
export type Diagnostic = SourceLocation & {
  readonly code: DiagnosticCode;
  /** The kebab-case name of the code. */
  readonly name: string;
  readonly severity: Severity;
  /** One sentence without a full stop. Names what is wrong; never contains secret values. */
  readonly message: string;
  /** The part of the message that differs between findings that report the same problem of several objects, such as `Secret "keys"`. */
  readonly subject?: string;
  /** Locations that explain the finding, then other locations of the same value. */
  readonly related?: readonly RelatedLocation[];
  /** The correction of this finding. */
  readonly fix?: string;
  /** What to do about findings of this kind. */
  readonly help?: string;
};

/** Optional details of a finding. */
export type DiagnosticDetails = {
  /** Overrides the register, for codes whose severity depends on the circumstances. */
  readonly severity?: Severity;
  readonly related?: readonly RelatedLocation[];
  /** The correction of this finding. A finding with a correction gets no general help. */
  readonly fix?: string;
  /** Overrides the register. */
  readonly help?: string;
  readonly subject?: string;
};

/** Creates a finding with the properties that the register has for its code. */
export function createDiagnostic(
  code: DiagnosticCode,
  location: SourceLocation,
  message: string,
  details: DiagnosticDetails = {},
): Diagnostic {
  const entry = CODES[code];
  const help = details.help ?? (details.fix === undefined ? entry.fix : undefined);
  const related = [...(details.related ?? []), ...(location.related ?? [])];
  return {
    code,
    name: entry.name,
    severity: details.severity ?? entry.severity,
    message,
    ...(details.subject !== undefined && { subject: details.subject }),
    ...(location.object && { object: location.object }),
    file: location.file,
    pointer: location.pointer,
    range: location.range,
    ...(location.constructPath !== undefined && { constructPath: location.constructPath }),
    ...(related.length > 0 && { related }),
    ...(details.fix !== undefined && { fix: details.fix }),
    ...(help !== undefined && { help }),
  };
}
