import type { PrivateDenial, ProjectBudgets, ProjectPrograms } from '#schemas';
import type { ClientName } from '../analysis/gateway/client-profiles.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic, Severity } from '../diagnostics/diagnostic.ts';
import type { SourceText } from '../source/source-text.ts';
import type { Baseline } from './baseline.ts';
import { DEFAULT_PROFILE, type Profile, type Weight } from './profiles.ts';

/** How a project is found and judged: `lintel.yaml`, resolved. */
export interface Project {
  /** The file as shown; undefined where there is none. */
  readonly file: string | undefined;
  /** The folder that its patterns are relative to, absolute. */
  readonly folder: string;
  /** What is read when no PATH is given. */
  readonly sources: readonly string[] | undefined;
  readonly exclude: readonly string[];
  /** API groups besides the accepted ones. */
  readonly apiGroups: readonly string[];
  readonly profile: Profile;
  readonly severity: ReadonlyMap<DiagnosticCode, Weight>;
  readonly failOn: Severity;
  /** Where the baseline is or would be written, as shown. */
  readonly baselineFile: string;
  readonly baseline: Baseline | undefined;
  /** Where the tool lock is or would be written, as shown. */
  readonly catalogFile: string;
  /** Whether the configuration names it: then it has to be there. */
  readonly isCatalogNamed: boolean;
  readonly budgets: ProjectBudgets;
  readonly programs: ProjectPrograms;
  /** Address of the documentation as a site, as written; undefined where there is none. */
  readonly documentation: string | undefined;
  /** That nothing private is connected to. Undefined: specs decide. */
  readonly denial: PrivateDenial | undefined;
  /** Empty for the default ones. */
  readonly clients: readonly ClientName[];
  /** Findings about the configuration itself that do not stop anything. */
  readonly diagnostics: readonly Diagnostic[];
  /** Texts that findings of the project point into, for code frames. */
  readonly texts: readonly SourceText[];
}

/** What decides how findings are judged. */
export type LintOptions = Pick<Project, 'apiGroups' | 'profile' | 'severity' | 'baseline' | 'diagnostics'>;

/** Without any configuration. */
export const DEFAULT_LINT_OPTIONS: LintOptions = {
  apiGroups: [],
  profile: DEFAULT_PROFILE,
  severity: new Map(),
  baseline: undefined,
  diagnostics: [],
};
