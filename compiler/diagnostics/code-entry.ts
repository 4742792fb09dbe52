import type { Severity } from './severity.ts';

/** The areas, by the first digit of the number. */
export const AREAS = {
  1: 'input',
  2: 'references',
  3: 'aggregation',
  4: 'incoming authentication',
  5: 'authorization',
  6: 'outgoing connections',
  7: 'workflows',
  8: 'registry server',
  9: 'change',
} as const;

/** Why users can neither change the severity of a code's findings nor drop or suppress them. */
export const FIXED_REASONS = {
  admission: 'the API server refuses the object, or drops what it says',
  unreadable: 'it says that something was not checked',
  unbuildable: 'the file has no single meaning, so nothing can be built from it',
  unservable: 'this version cannot serve it, so nothing is built from it',
  tested: 'a test file requires something else: change the test file instead',
  oversight: 'it checks the suppressions and baselines themselves',
} as const;

/** The languages of the parts of an example. */
export const EXAMPLE_LANGUAGES = ['yaml', 'json', 'ts', 'sh'] as const;

/** A file of an example, or commands that are run in its folder. */
export type ExamplePart = {
  /** Relative to the folder of the example. YAML without a file name is a spec that needs no other file; commands have no file name. */
  readonly file?: string;
  readonly language: (typeof EXAMPLE_LANGUAGES)[number];
  readonly text: string;
};

export type Example = readonly ExamplePart[];

/** The fixed properties of a code. */
export type CodeEntry = {
  /** In kebab-case; unique, and as permanent as the number. */
  readonly name: string;
  /** The default severity; a finding may override it where the page says so. */
  readonly severity: Severity;
  /** Set for codes that every profile makes errors: a check has to fail, although the bundle can be served. */
  readonly check?: 'error';
  /** Set for codes that depend on the tools of backends: without a tool lock, the absence of findings proves nothing. */
  readonly needsLock?: true;
  /** Set for codes that only matter in pods: checked by `lintel build --manifests` and the controller. */
  readonly needsPods?: true;
  readonly meaning: string;
  /** The version of Lintel that added the code. */
  readonly since: string;
  /** What to do about it. */
  readonly fix: string;
  /** Set for codes that state a fact rather than a judgement, so that users cannot change their severity. */
  readonly fixed?: keyof typeof FIXED_REASONS;
  /** Input with this finding, and the corrected input; `example.ts` describes what is next to them. */
  readonly bad: Example;
  readonly good: Example;
};
