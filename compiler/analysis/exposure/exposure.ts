/**
 * The exposure of one gateway: who can reach which tool, prompt and resource, by which path, and which credential goes to
 * which backend. Plain data for reports, differences and proofs; `exposure.schema.json` describes it. Lists are sorted by
 * what names their items, so that two exposures can be compared item by item. Secrets appear by reference only.
 */
import type { BackendTransport, TOOL_HINTS, ToolFault, WithholdReason } from '#schemas';
import type { PlanView } from './plan/plan-view.ts';

/** Bumped when a reader that knows the previous number would misread the document. */
export const EXPOSURE_FORMAT_VERSION = 1;

/** File name of the exposure next to the bundle that it tells about. */
export const EXPOSURE_FILE = 'exposure.json';

export interface Exposure {
  readonly formatVersion: typeof EXPOSURE_FORMAT_VERSION;
  readonly kind: 'gateway';
  readonly namespace: string;
  readonly name: string;
  /** Whether the tool lock knows every backend. When not, there may be more than is listed here. */
  readonly complete: boolean;
  readonly authentication: Authentication;
  readonly authorization: AuthorizationSummary;
  /** What clients list: the tools themselves, or the search of the optimizer in their place. */
  readonly listing: 'tools' | 'optimizer';
  readonly callers: readonly CallerClass[];
  readonly backends: readonly ExposedBackend[];
  /** The tools of backends, hidden ones included. */
  readonly tools: readonly ExposedTool[];
  /** Workflows, which clients see as tools too. */
  readonly composites: readonly ExposedComposite[];
  readonly prompts: readonly ExposedPrompt[];
  readonly resources: readonly ExposedResource[];
  readonly resourceTemplates: readonly ExposedResource[];
  readonly withheld: readonly Withheld[];
  readonly totals: Totals;
  /** All that the gateway goes by, without secrets. Absent in files of versions before it was written. */
  readonly plan?: PlanView;
  /** Places of the gateway that a program set past its constructs (RFC 6901), sorted; left out where there are none. */
  readonly escapeHatches?: readonly string[];
}

/** Who gets in at all: what `everyone` means. */
export type Authentication =
  | { readonly type: 'anonymous' }
  /** All callers on the machine, as the user who runs the gateway. */
  | { readonly type: 'local' }
  | {
      readonly type: 'oidc';
      /** Null where it is not in the sources. */
      readonly issuer: string | null;
      readonly audience: string | null;
      /** Each token must have all of them; left out where none are asked for. */
      readonly scopes?: readonly string[];
    };

export type AuthorizationSummary =
  | { readonly type: 'none' }
  /** `policies` is null where they are not in the sources. */
  | { readonly type: 'cedar'; readonly policies: number | null; readonly source: ObjectName };

export interface ObjectName {
  readonly kind: string;
  readonly name: string;
}

/**
 * Who may: every admitted caller, none, or the callers for whom one of the grants holds; unknown where the policies are
 * not in the sources.
 */
export type Who =
  | { readonly type: 'everyone' }
  | { readonly type: 'nobody' }
  | { readonly type: 'unknown' }
  | { readonly type: 'some'; readonly anyOf: readonly Grant[] };

/** Holds for a caller whom `permit` fits and none of `forbids`. */
export interface Grant {
  readonly permit: PolicyCondition;
  readonly forbids: readonly PolicyCondition[];
}

export interface PolicyCondition {
  /** The identifier of the policy. */
  readonly policy: string;
  /** What it asks of the caller and the call, in Cedar; `true` when nothing. */
  readonly text: string;
  /** The policy does not forbid: it cannot be evaluated then, and that denies. */
  readonly fails?: true;
}

/** Callers that the policies do not tell apart, with what their grant opens: directly, or through a workflow. */
export interface CallerClass {
  /** Everyone, or those for whom one grant holds. */
  readonly who: Who;
  readonly tools: readonly string[];
  readonly composites: readonly string[];
  readonly prompts: readonly string[];
  /** URIs of resources and templates. */
  readonly resources: readonly string[];
}

export interface ExposedBackend {
  readonly name: string;
  /** Names the backend in the tool lock. */
  readonly key: string;
  readonly url: string;
  readonly transport: BackendTransport;
  /** Whether the tool lock knows it. */
  readonly locked: boolean;
  readonly credential: Credential;
  readonly headers: readonly ForwardedHeader[];
  /** Sorted. Absent in files of versions before it was written. */
  readonly ownSecrets?: readonly OwnSecret[];
}

/** What the process of a server is given, for every caller alike. Of a server that does not run from these sources nothing is known. */
export interface OwnSecret {
  /** The name of the variable, or such as `argument 2`; `*` stands for a variable for each key of the Secret. */
  readonly name: string;
  readonly from:
    | { readonly type: 'secret'; readonly name: string; readonly key: string }
    /** In the clear. */
    | { readonly type: 'spec' }
    /** Handed on from the shell in which Lintel runs. */
    | { readonly type: 'env'; readonly name: string };
}

/** What the gateway presents to a backend. Members that the strategy has no use for are absent. */
export interface Credential {
  readonly strategy: CredentialStrategy;
  /** Whom the backend sees: no caller, the gateway with a secret of its own, or the person who calls. */
  readonly identity: 'nobody' | 'gateway' | 'caller';
  /** Where it is chosen; null when nothing is. */
  readonly from: ObjectName | null;
  readonly header?: string;
  /** The upstream of the embedded authorization server whose token is used. Absent: the token that the caller brought. */
  readonly provider?: string;
  readonly tokenUrl?: string;
  readonly audience?: string;
  readonly scopes?: readonly string[];
  readonly region?: string;
  /** ARNs of the roles that can be assumed. */
  readonly roles?: readonly string[];
  readonly secrets: readonly SecretUse[];
}

export type CredentialStrategy =
  | 'none'
  | 'header_injection'
  | 'token_exchange'
  | 'upstream_inject'
  | 'aws_sts'
  | 'obo'
  | 'xaa';

/** A secret by reference. */
export interface SecretUse {
  readonly use: 'header value' | 'client secret' | 'client secret of the identity provider';
  readonly from:
    | { readonly type: 'secret'; readonly name: string; readonly key: string }
    | { readonly type: 'env'; readonly name: string };
}

/** A header besides the credential: handed on from the caller, or always the same. */
export interface ForwardedHeader {
  readonly name: string;
  readonly from: 'caller' | 'spec' | 'secret';
}

/** A hint about what a tool does, and who claims it. `steps`: derived from the tools that a workflow calls. */
export interface Hint {
  readonly value: boolean;
  readonly from: 'backend' | 'override' | 'spec' | 'steps';
}

/** Absent ones are unknown: the backend makes no claim. */
export type Hints = { readonly [name in (typeof TOOL_HINTS)[number]]?: Hint };

/** Something with a definition that clients see. */
interface Definition {
  readonly title?: string;
  /** The digest of the definition as clients see it: another digest is another tool under the old name. */
  readonly digest: string;
}

interface ListedTool extends Definition {
  readonly name: string;
  readonly hints: Hints;
  /** Estimate of what the definition costs a model that reads it. */
  readonly tokens: number;
  /** Who may call it under its own name. */
  readonly direct: Who;
}

export interface ExposedTool extends ListedTool {
  readonly backend: string;
  /** The backend's own name. */
  readonly originalName: string;
  readonly visibility: 'advertised' | 'hidden';
  readonly through: readonly ThroughWorkflow[];
  /** Who reaches it one way or another. */
  readonly reach: Who;
}

/** A step of a workflow runs under the workflow's name: each caller of the workflow reaches the tool. */
export interface ThroughWorkflow {
  readonly composite: string;
  readonly step: string;
  readonly who: Who;
}

export interface ExposedComposite extends ListedTool {
  /** Where it is described. */
  readonly from: ObjectName;
  readonly calls: readonly ExposedCall[];
}

export interface ExposedCall {
  readonly step: string;
  /** The tool as the step names it. */
  readonly reference: string;
  /** Null when the tool lock knows no such tool. */
  readonly tool: string | null;
}

export interface ExposedPrompt extends Definition {
  readonly name: string;
  readonly backend: string;
  readonly originalName: string;
  readonly direct: Who;
}

export interface ExposedResource extends Definition {
  /** The URI, or the template of URIs; a read of a template is decided on the concrete URI. */
  readonly uri: string;
  readonly backend: string;
  readonly mimeType?: string;
  readonly direct: Who;
}

/** What a backend offers and clients do not get: because others have the name or claim it too, or because of what it is. */
export interface Withheld {
  readonly type: 'tool' | 'prompt' | 'resource';
  /** The name or URI that it would have. */
  readonly name: string;
  readonly backend: string;
  readonly originalName: string;
  /** A tool that is withheld for a fault of its own stays among the hidden ones: workflows may call it. */
  readonly reason: WithholdReason | ToolFault['reason'] | 'shadowed';
  /** What exactly is wrong with it. Absent: the reason says it. */
  readonly detail?: string;
}

export interface Totals {
  /** Tools that clients list, workflows included. */
  readonly listed: number;
  readonly hidden: number;
  /** Listed tools that some caller may call and that are not known to be read-only. */
  readonly writing: number;
  readonly composites: number;
  readonly prompts: number;
  readonly resources: number;
  readonly resourceTemplates: number;
  /** The estimated tokens of all listed tools. */
  readonly tokens: number;
}
