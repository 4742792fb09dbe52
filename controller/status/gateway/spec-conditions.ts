/**
 * Maps the compiler's findings to conditions of a gateway, with their reasons; the table is the documentation. Types and reasons are the same as
 * in the reference implementation.
 */
import type { VirtualMCPServerSpec } from '#schemas';
import type { FoundDiagnostic } from '../../compile/index.ts';
import { formatDiagnostics } from '../diagnostics-text.ts';
import type { UntimedCondition } from './status-input.ts';

/** A filter of findings; all given properties must match. */
export interface Mark {
  readonly codes?: readonly string[];
  /** JSON pointers of the findings, or of parents. */
  readonly at?: readonly string[];
  /** Kind of the finding's object; default: the gateway itself. */
  readonly kind?: string;
}

export interface Row<Spec = VirtualMCPServerSpec> {
  readonly type: string;
  /** The reason of the condition when nothing was found. */
  readonly good: string;
  /** Whether the condition applies to the object; otherwise it is omitted. */
  readonly applies: (spec: Spec) => boolean;
  /** Reasons of the condition when something was found: the first entry that matches a finding gives the reason. */
  readonly bad: readonly (Mark & { readonly reason: string })[];
}

const NOT_FOUND = ['LNT2001'];

/** A finding belongs to the first matching row; the last row takes the rest. */
const ROWS: readonly Row[] = [
  {
    type: 'PodTemplateSpecValid',
    good: 'PodTemplateSpecValid',
    applies: spec => spec.podTemplateSpec !== undefined,
    bad: [{ at: ['/spec/podTemplateSpec'], reason: 'InvalidPodTemplateSpec' }],
  },
  {
    type: 'GroupRefValidated',
    good: 'GroupRefValid',
    applies: () => true,
    bad: [
      { codes: NOT_FOUND, at: ['/spec/groupRef', '/spec/config/groupRef'], reason: 'GroupRefNotFound' },
      { kind: 'MCPGroup', reason: 'GroupRefNotReady' },
    ],
  },
  {
    type: 'CompositeToolRefsValidated',
    good: 'CompositeToolRefsValid',
    applies: ({ config }) => (config?.compositeToolRefs ?? []).length > 0,
    bad: [
      { codes: NOT_FOUND, at: ['/spec/config/compositeToolRefs'], reason: 'CompositeToolRefNotFound' },
      { at: ['/spec/config/compositeToolRefs'], reason: 'CompositeToolRefInvalid' },
      { kind: 'VirtualMCPCompositeToolDefinition', reason: 'CompositeToolRefInvalid' },
    ],
  },
  {
    type: 'AuthServerConfigValidated',
    good: 'AuthServerConfigValid',
    applies: spec => spec.authServerConfig !== undefined,
    bad: [
      { codes: ['LNT4011'], reason: 'AuthzUpstreamUnknown' },
      { codes: ['LNT4002', 'LNT4003', 'LNT4010', 'LNT4022'], reason: 'AuthServerConfigInvalid' },
      { at: ['/spec/authServerConfig'], reason: 'AuthServerConfigInvalid' },
    ],
  },
  {
    type: 'OIDCConfigRefValidated',
    good: 'OIDCConfigRefValid',
    applies: spec => spec.incomingAuth?.oidcConfigRef !== undefined,
    bad: [
      { codes: NOT_FOUND, at: ['/spec/incomingAuth/oidcConfigRef'], reason: 'OIDCConfigRefNotFound' },
      { at: ['/spec/incomingAuth/oidcConfigRef'], reason: 'OIDCConfigRefNotValid' },
      { kind: 'MCPOIDCConfig', reason: 'OIDCConfigRefNotValid' },
    ],
  },
  {
    type: 'AuthzConfigRefValidated',
    good: 'AuthzConfigRefValid',
    applies: spec => spec.incomingAuth?.authzConfigRef !== undefined,
    bad: [
      { codes: NOT_FOUND, at: ['/spec/incomingAuth/authzConfigRef'], reason: 'AuthzConfigRefNotFound' },
      { at: ['/spec/incomingAuth/authzConfigRef'], reason: 'AuthzConfigRefNotValid' },
      { kind: 'MCPAuthzConfig', reason: 'AuthzConfigRefNotValid' },
    ],
  },
  {
    type: 'TelemetryConfigRefValidated',
    good: 'TelemetryConfigRefValid',
    applies: spec => spec.telemetryConfigRef !== undefined,
    bad: [
      { codes: NOT_FOUND, at: ['/spec/telemetryConfigRef'], reason: 'TelemetryConfigRefNotFound' },
      { at: ['/spec/telemetryConfigRef'], reason: 'TelemetryConfigRefInvalid' },
      { kind: 'MCPTelemetryConfig', reason: 'TelemetryConfigRefInvalid' },
    ],
  },
  {
    type: 'EmbeddingServerReady',
    good: 'EmbeddingServerReady',
    applies: spec => spec.embeddingServerRef !== undefined,
    bad: [
      { codes: NOT_FOUND, at: ['/spec/embeddingServerRef'], reason: 'EmbeddingServerNotFound' },
      { kind: 'EmbeddingServer', reason: 'EmbeddingServerNotReady' },
    ],
  },
  {
    type: 'AuthConfigured',
    good: 'AuthValid',
    applies: () => true,
    bad: [
      // Policies in a ConfigMap outside of the sources count as missing.
      { at: ['/spec/incomingAuth/authzConfig/configMap'], reason: 'AuthzConfigMapNotFound' },
      { kind: 'ConfigMap', reason: 'AuthzConfigMapInvalid' },
      {
        at: ['/spec/incomingAuth', '/spec/config/incomingAuth', '/spec/outgoingAuth', '/spec/config/outgoingAuth'],
        reason: 'AuthInvalid',
      },
      { codes: ['LNT5006'], reason: 'AuthInvalid' },
      { kind: 'MCPExternalAuthConfig', reason: 'AuthInvalid' },
    ],
  },
];

/** The condition for findings without a condition of their own. */
const VALID: OtherCondition = { type: 'Valid', good: 'ValidationSucceeded', bad: 'ValidationFailed' };

interface OtherCondition {
  readonly type: string;
  readonly good: string;
  readonly bad: string;
}

/** The conditions of one kind. */
export interface ConditionTable<Spec> {
  readonly kind: string;
  readonly rows: readonly Row<Spec>[];
  readonly rest: OtherCondition;
}

const OF_GATEWAYS: ConditionTable<VirtualMCPServerSpec> = { kind: 'VirtualMCPServer', rows: ROWS, rest: VALID };

/**
 * The conditions about errors in a gateway's spec and in referenced objects, for the last compiled revision. Omitted conditions do not apply to
 * this gateway.
 *
 * @param revision - for error messages; other messages do not contain it, so that a new revision causes no write
 */
export function listSpecConditions(
  spec: VirtualMCPServerSpec,
  diagnostics: readonly FoundDiagnostic[],
  revision: string,
): readonly UntimedCondition[] {
  return [...buildConditions(OF_GATEWAYS, spec, diagnostics, revision), ...listAdvisories(spec, diagnostics)];
}

/** One for each applicable row, and one for the rest. */
export function buildConditions<Spec>(
  table: ConditionTable<Spec>,
  spec: Spec,
  diagnostics: readonly FoundDiagnostic[],
  revision: string,
): readonly UntimedCondition[] {
  const errors = Map.groupBy(
    diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(diagnostic => ({ one: diagnostic, ...chooseCondition(diagnostic, table) })),
    ({ type }) => type,
  );
  // A finding may be about a field that the object in the cluster does not have yet: it is reported as well.
  const rows = [
    ...table.rows.filter(({ type, applies }) => errors.has(type) || applies(spec)),
    { type: table.rest.type, good: table.rest.good },
  ];
  return rows.map(({ type, good: reason }): UntimedCondition => {
    const wrong = errors.get(type)?.toSorted((a, b) => a.rank - b.rank);
    if (wrong?.[0] === undefined) return { type, status: 'True', reason, message: 'nothing is wrong' };
    const message = `${formatDiagnostics(wrong.map(({ one: foundDiagnostic }) => foundDiagnostic)) ?? ''} (${revision})`;
    return { type, status: 'False', reason: wrong[0].reason, message };
  });
}

/** Which condition a finding affects, and with which reason if it is an error. */
export function createCondition(diagnostic: FoundDiagnostic): { readonly type: string; readonly reason: string } {
  const { type, reason } = chooseCondition(diagnostic, OF_GATEWAYS);
  return { type, reason };
}

function chooseCondition<Spec>(
  diagnostic: FoundDiagnostic,
  { kind, rows, rest }: ConditionTable<Spec>,
): {
  readonly type: string;
  readonly reason: string;
  readonly rank: number;
} {
  for (const { type, bad } of rows) {
    const rank = bad.findIndex(value => fits(value, kind, diagnostic));
    const mark = bad[rank];
    if (mark !== undefined) return { type, reason: mark.reason, rank };
  }
  return { type: rest.type, reason: rest.bad, rank: 0 };
}

function fits({ codes, at, kind }: Mark, own: string, { code, pointer = '', object }: FoundDiagnostic): boolean {
  const about = object?.split('/')[0];
  if (kind !== undefined ? about !== kind : about !== undefined && about !== own) return false;
  if (codes !== undefined && !codes.includes(code)) return false;
  return at === undefined || at.some(location => pointer === location || pointer.startsWith(`${location}/`));
}

/** Conditions that advise and prevent nothing: for these, True is not good. */
function listAdvisories(
  spec: VirtualMCPServerSpec,
  diagnostics: readonly FoundDiagnostic[],
): readonly UntimedCondition[] {
  const find = (code: string) =>
    diagnostics.find(diagnostic => diagnostic.code === code && diagnostic.severity !== 'error');
  const choice = find('LNT4012');
  const synthetic = find('LNT4023');
  return [
    ...(choice === undefined
      ? []
      : [createSpecCondition('AuthzUpstreamSelectionWarning', 'True', 'AuthzUpstreamAutoSelected', choice.message)]),
    ...(spec.authServerConfig === undefined
      ? []
      : [
          synthetic === undefined
            ? createSpecCondition(
                'IdentitySynthesized',
                'False',
                'AllUpstreamsHaveUserInfo',
                'every upstream says who its users are',
              )
            : createSpecCondition('IdentitySynthesized', 'True', 'OAuth2UpstreamWithoutUserInfo', synthetic.message),
        ]),
    createSessionStorageCondition(spec, find('LNT4016')),
  ];
}

function createSessionStorageCondition(
  spec: VirtualMCPServerSpec,
  warning: FoundDiagnostic | undefined,
): UntimedCondition {
  const type = 'SessionStorageWarning';
  if (warning !== undefined)
    return createSpecCondition(type, 'True', 'SessionStorageMissingForReplicas', warning.message);
  return spec.sessionStorage?.provider === 'redis' || spec.config?.sessionStorage?.provider === 'redis'
    ? createSpecCondition(type, 'False', 'SessionStorageConfigured', 'sessions are kept in Redis')
    : createSpecCondition(type, 'False', 'SessionStorageWarningNotApplicable', 'one pod keeps its sessions in memory');
}

function createSpecCondition(
  type: string,
  status: UntimedCondition['status'],
  reason: string,
  message: string,
): UntimedCondition {
  return { type, status, reason, message };
}
