/** The report to a forge about one revision: the result of each gateway, and of the whole source. */
import type { WorkloadKind } from '#schemas';
import type { CommitStatus } from './forge.ts';
import type { LinkTarget } from './web-page.ts';

export interface UnitResult {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly state: CommitStatus['state'];
  /** One line for people. */
  readonly description: string;
  /** The first findings, each with code and location. */
  readonly findings: readonly string[];
  /** The location of the first finding, otherwise of the spec; undefined when neither is in a file of the repository. */
  readonly linkTarget?: LinkTarget | undefined;
}

export interface CommitReport {
  readonly source: { readonly namespace: string; readonly name: string };
  /** Full commit id. */
  readonly commit: string;
  /** Such as `main@sha1:<id>`. */
  readonly revision: string;
  /** The state of the whole source. */
  readonly state: CommitStatus['state'];
  readonly description: string;
  /** The location of the first finding, otherwise the folder of the specs. */
  readonly linkTarget: LinkTarget;
  /** Sorted by kind, namespace and name. */
  readonly units: readonly UnitResult[];
  /** The first findings that are not about a single gateway or registry server. */
  readonly findings: readonly string[];
  /** Address of the documentation site in the repository's configuration. */
  readonly documentation?: string | undefined;
  /** The revision's changes of access as Markdown of limited length; undefined when unknown. */
  readonly difference: ((maxCharacters: number) => string) | undefined;
}
