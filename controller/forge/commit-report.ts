/** The report to a forge about one revision: the result of each gateway, and of the source as a whole. */
import type { WorkloadKind } from '#schemas';
import type { CommitStatus } from './forge.ts';
import type { LinkTarget } from './web-page.ts';

export interface UnitResult {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly state: CommitStatus['state'];
  /** For people, one line. */
  readonly description: string;
  /** First findings, each with its code and place. */
  readonly findings: readonly string[];
  /** The place of the first finding, else of its spec; undefined when neither is in a file of the repository. */
  readonly place?: LinkTarget | undefined;
}

export interface CommitReport {
  readonly source: { readonly namespace: string; readonly name: string };
  /** Full id of the commit. */
  readonly commit: string;
  /** Such as `main@sha1:<id>`. */
  readonly revision: string;
  /** The state of the source as a whole. */
  readonly state: CommitStatus['state'];
  readonly description: string;
  /** The place of the first finding, else the folder of the specs. */
  readonly place: LinkTarget;
  /** Sorted by kind, namespace and name. */
  readonly units: readonly UnitResult[];
  /** First findings of the revision that concern no unit alone. */
  readonly findings: readonly string[];
  /** Address of the documentation as a site, as the repository names it. */
  readonly documentation?: string | undefined;
  /** What the revision opens and closes, as Markdown of at most so many characters; undefined when it is not known. */
  readonly difference: ((maxCharacters: number) => string) | undefined;
}
