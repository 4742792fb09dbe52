import type { PrivateDenial, ProjectBudgets, ProjectPrograms } from '#schemas';
import type { ClientName } from '../analysis/gateway/client-profiles.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Severity } from '../diagnostics/severity.ts';
import type { SourceText } from '../source/source-text.ts';
import type { Baseline } from './baseline.ts';
import { DEFAULT_PROFILE, type Profile, type SeveritySetting } from './profiles.ts';

/** The resolved `lintel.yaml`: the sources of a project and its settings for findings. */
export interface Project {
  /** The path of the file, as messages show it; undefined when there is none. */
  readonly file: string | undefined;
  /** The absolute folder that its patterns are relative to. */
  readonly folder: string;
  /** The sources of a command without paths. */
  readonly sources: readonly string[] | undefined;
  readonly exclude: readonly string[];
  /** Additional accepted API groups. */
  readonly apiGroups: readonly string[];
  readonly profile: Profile;
  readonly severity: ReadonlyMap<DiagnosticCode, SeveritySetting>;
  readonly failOn: Severity;
  /** The path of the baseline, as messages show it. The file need not exist. */
  readonly baselineFile: string;
  readonly baseline: Baseline | undefined;
  /** The path of the tool lock, as messages show it. The file need not exist. */
  readonly catalogFile: string;
  /** Whether the configuration names the lock: then the file has to exist. */
  readonly isCatalogNamed: boolean;
  readonly budgets: ProjectBudgets;
  readonly programs: ProjectPrograms;
  /** Address of the documentation site, as written; undefined when there is none. */
  readonly documentation: string | undefined;
  /** Refuses private addresses. Undefined: specs decide. */
  readonly denial: PrivateDenial | undefined;
  /** Empty for the default clients. */
  readonly clients: readonly ClientName[];
  /** Findings about the configuration that do not prevent compiling. */
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the project's files, for code frames. */
  readonly texts: readonly SourceText[];
}

/** Settings for evaluating findings. */
export type LintOptions = Pick<Project, 'apiGroups' | 'profile' | 'severity' | 'baseline' | 'diagnostics'>;

/** The settings without a configuration. */
export const DEFAULT_LINT_OPTIONS: LintOptions = {
  apiGroups: [],
  profile: DEFAULT_PROFILE,
  severity: new Map(),
  baseline: undefined,
  diagnostics: [],
};
