/** Checks of `lintel.yaml` beyond its schema: known profiles and codes, and codes with a fixed severity. */
import type { ProjectFile } from '#schemas';
import { findNearest } from '#shared/util';
import { CLIENT_PROFILES, type ClientName, isClientName } from '../analysis/gateway/client-profiles.ts';
import { CODES, type DiagnosticCode, FIXED_REASONS } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { findCode, suggestCodeName } from '../diagnostics/find-code.ts';
import {
  DEFAULT_PROFILE,
  type ParsedProfile,
  type Profile,
  parseProfile,
  type SeveritySetting,
} from '../lint/index.ts';
import type { SourceDocument } from '../source/source-document.ts';
import { createConfigurationError } from './configuration-file.ts';

/** The resolved settings, with findings: errors, or hints that do not prevent anything. */
export interface CheckedSettings {
  readonly profile: Profile;
  readonly severity: ReadonlyMap<DiagnosticCode, SeveritySetting>;
  readonly clients: readonly ClientName[];
  readonly diagnostics: readonly Diagnostic[];
}

/** @param document valid under the schema */
export function checkProject(document: SourceDocument): CheckedSettings {
  const { profile, severity = {}, clients = [], privateBackends, denyPrivateBackends } = document.value as ProjectFile;
  const parsed = profile === undefined ? undefined : parseProfile(profile);
  const severities = new Map<DiagnosticCode, SeveritySetting>();
  const diagnostics = parsed === undefined ? [] : checkProfile(document, parsed);
  for (const [codeText, setting] of Object.entries(severity)) {
    const path = ['severity', codeText];
    const code = findCode(codeText);
    if (code === undefined) {
      const near = suggestCodeName(codeText);
      const details = near === undefined ? {} : { fix: `did you mean "${near}"?` };
      diagnostics.push(
        createConfigurationError(document, path, 'LNT1011', `there is no code ${JSON.stringify(codeText)}`, {
          at: 'key',
          ...details,
        }),
      );
    } else if (severities.has(code)) {
      diagnostics.push(
        createConfigurationError(document, path, 'LNT1015', `${code} stands here twice, by its number and its name`, {
          at: 'key',
        }),
      );
    } else {
      diagnostics.push(...checkFixed(document, path, code, setting));
      severities.set(code, setting);
    }
  }
  diagnostics.push(...clients.flatMap((client, index) => checkClient(document, client, index)));
  if (privateBackends !== undefined && denyPrivateBackends !== true) {
    const message = 'privateBackends has no effect: it makes exceptions to denyPrivateBackends, which is not true';
    const details = { at: 'key', fix: 'set denyPrivateBackends to true, or remove privateBackends' } as const;
    diagnostics.push(createConfigurationError(document, ['privateBackends'], 'LNT1010', message, details));
  }
  const isKnown = parsed !== undefined && 'profile' in parsed;
  return {
    profile: isKnown ? parsed.profile : DEFAULT_PROFILE,
    severity: severities,
    clients: clients.filter(isClientName),
    diagnostics,
  };
}

function checkClient(document: SourceDocument, client: string, index: number): Diagnostic[] {
  if (isClientName(client)) return [];
  const names = Object.keys(CLIENT_PROFILES);
  const near = findNearest(client, names);
  const fix = near === undefined ? `one of ${names.join(', ')}` : `did you mean "${near}"?`;
  const message = `the limits of the client ${JSON.stringify(client)} are not known`;
  return [createConfigurationError(document, ['clients', index], 'LNT1011', message, { fix })];
}

function checkProfile(document: SourceDocument, parsed: ParsedProfile): Diagnostic[] {
  if ('problem' in parsed) {
    const { problem, near } = parsed;
    const details = near === undefined ? {} : { fix: `did you mean "${near}"?` };
    return [createConfigurationError(document, ['profile'], 'LNT1011', problem, details)];
  }
  if (parsed.isPinned) return [];
  const { name, version } = parsed.profile;
  const message = `the profile ${name} has no version: what a new version of Lintel adds may fail the check`;
  const details = { severity: CODES.LNT1036.severity, fix: `profile: ${name}@${version}` };
  return [createConfigurationError(document, ['profile'], 'LNT1036', message, details)];
}

const ORDER: readonly SeveritySetting[] = ['off', 'hint', 'warning', 'error'];

function checkFixed(
  document: SourceDocument,
  path: string[],
  code: DiagnosticCode,
  setting: SeveritySetting,
): Diagnostic[] {
  const { fixed, severity, name } = CODES[code];
  if (fixed === undefined || ORDER.indexOf(setting) >= ORDER.indexOf(severity)) return [];
  const message = `${code} ${name} cannot be less than ${severity}: ${FIXED_REASONS[fixed]}`;
  return [createConfigurationError(document, path, 'LNT1034', message, { fix: 'remove this line' })];
}
