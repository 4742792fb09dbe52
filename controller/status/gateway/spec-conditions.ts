/**
 * Which findings of the compiler decide which condition of a gateway, and with which reason: the table is the documentation. Types and
 * reasons are those that users of the other implementation know.
 */
import type { VirtualMCPServerSpec } from '#schemas';
import type { FoundDiagnostic } from '../../compile/index.ts';
import { diagnosticsText } from '../diagnostics-text.ts';
import type { UntimedCondition } from './facts.ts';

/** Findings that have this in common; all that is given must fit. */
export interface Mark {
  readonly codes?: readonly string[];
  /** JSON pointers: of the places, or of what is around them. */
  readonly at?: readonly string[];
  /** Kind of the object that a finding is about; the gateway itself when not given. */
  readonly kind?: string;
}

export interface Row<Spec = VirtualMCPServerSpec> {
  readonly type: string;
  /** The reason of the condition when nothing is wrong. */
  readonly good: string;
  /** Whether the object has what the condition is about; without it the condition is not there. */
  readonly applies: (spec: Spec) => boolean;
  /** The first that fits tells the reason: of one finding, and of several. */
  readonly bad: readonly (Mark & { readonly reason: string })[];
}

const NOT_FOUND = ['LNT2001'];

/** A finding belongs to the first row that it fits; the last takes what is left. */
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
      // Policies in a ConfigMap that is no input are as good as none.
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

/** Whatever no other condition is about. */
const VALID: Rest = { type: 'Valid', good: 'ValidationSucceeded', bad: 'ValidationFailed' };

interface Rest {
  readonly type: string;
  readonly good: string;
  readonly bad: string;
}

/** The conditions of a kind of objects. */
export interface ConditionTable<Spec> {
  readonly kind: string;
  readonly rows: readonly Row<Spec>[];
  readonly rest: Rest;
}

const OF_GATEWAYS: ConditionTable<VirtualMCPServerSpec> = { kind: 'VirtualMCPServer', rows: ROWS, rest: VALID };

/**
 * The conditions that say what is wrong with a gateway's spec and all that it refers to, as of the revision that was compiled last.
 * Conditions that are left out do not apply to this gateway.
 *
 * @param revision - for messages of what is wrong; the others stay the same over revisions, so that nothing is written
 */
export function specConditions(
  spec: VirtualMCPServerSpec,
  diagnostics: readonly FoundDiagnostic[],
  revision: string,
): readonly UntimedCondition[] {
  return [...buildConditions(OF_GATEWAYS, spec, diagnostics, revision), ...advisories(spec, diagnostics)];
}

/** One for each row that applies, and one for the rest. */
export function buildConditions<Spec>(
  table: ConditionTable<Spec>,
  spec: Spec,
  diagnostics: readonly FoundDiagnostic[],
  revision: string,
): readonly UntimedCondition[] {
  const errors = Map.groupBy(
    diagnostics.filter(({ severity }) => severity === 'error').map(one => ({ one, ...chooseCondition(one, table) })),
    ({ type }) => type,
  );
  // A broken part that the object in the cluster does not have yet is news all the same.
  const rows = [
    ...table.rows.filter(({ type, applies }) => errors.has(type) || applies(spec)),
    { type: table.rest.type, good: table.rest.good },
  ];
  return rows.map(({ type, good: reason }): UntimedCondition => {
    const wrong = errors.get(type)?.toSorted((a, b) => a.rank - b.rank);
    if (wrong?.[0] === undefined) return { type, status: 'True', reason, message: 'nothing is wrong' };
    const message = `${diagnosticsText(wrong.map(({ one }) => one)) ?? ''} (${revision})`;
    return { type, status: 'False', reason: wrong[0].reason, message };
  });
}

/** Which condition a finding decides, and with which reason when it is an error. */
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
    const rank = bad.findIndex(one => fits(one, kind, diagnostic));
    const mark = bad[rank];
    if (mark !== undefined) return { type, reason: mark.reason, rank };
  }
  return { type: rest.type, reason: rest.bad, rank: 0 };
}

function fits({ codes, at, kind }: Mark, own: string, { code, pointer = '', object }: FoundDiagnostic): boolean {
  const about = object?.split('/')[0];
  if (kind !== undefined ? about !== kind : about !== undefined && about !== own) return false;
  if (codes !== undefined && !codes.includes(code)) return false;
  return at === undefined || at.some(place => pointer === place || pointer.startsWith(`${place}/`));
}

/** What is worth to know and stops nothing: true is not good there. */
function advisories(spec: VirtualMCPServerSpec, diagnostics: readonly FoundDiagnostic[]): readonly UntimedCondition[] {
  const find = (code: string) => diagnostics.find(one => one.code === code && one.severity !== 'error');
  const choice = find('LNT4012');
  const synthetic = find('LNT4023');
  return [
    ...(choice === undefined
      ? []
      : [condition('AuthzUpstreamSelectionWarning', 'True', 'AuthzUpstreamAutoSelected', choice.message)]),
    ...(spec.authServerConfig === undefined
      ? []
      : [
          synthetic === undefined
            ? condition(
                'IdentitySynthesized',
                'False',
                'AllUpstreamsHaveUserInfo',
                'every upstream says who its users are',
              )
            : condition('IdentitySynthesized', 'True', 'OAuth2UpstreamWithoutUserInfo', synthetic.message),
        ]),
    sessionStorage(spec, find('LNT4016')),
  ];
}

function sessionStorage(spec: VirtualMCPServerSpec, warning: FoundDiagnostic | undefined): UntimedCondition {
  const type = 'SessionStorageWarning';
  if (warning !== undefined) return condition(type, 'True', 'SessionStorageMissingForReplicas', warning.message);
  return spec.sessionStorage?.provider === 'redis' || spec.config?.sessionStorage?.provider === 'redis'
    ? condition(type, 'False', 'SessionStorageConfigured', 'sessions are kept in Redis')
    : condition(type, 'False', 'SessionStorageWarningNotApplicable', 'one pod keeps its sessions in memory');
}

function condition(
  type: string,
  status: UntimedCondition['status'],
  reason: string,
  message: string,
): UntimedCondition {
  return { type, status, reason, message };
}
