/**
 * The exposure of one gateway: which callers can reach which tool, prompt and resource, by which path, and which credential goes to which
 * backend. Plain data for reports, diffs and tests; `exposure.schema.json` describes it. Lists are sorted by the identifier of their items,
 * so that two exposures can be compared item by item. Secrets appear by reference only.
 */
import type { BackendTransport } from '#schemas';
import type { TOOL_HINTS, ToolFault, WithholdReason } from '#shared/plan';
import type { PlanView } from './plan/plan-view.ts';

/** Bumped when a reader that knows the previous number would misread the document. */
export const EXPOSURE_FORMAT_VERSION = 1;

/** File name of the exposure, next to the bundle that it describes. */
export const EXPOSURE_FILE = 'exposure.json';

export interface Exposure {
  readonly formatVersion: typeof EXPOSURE_FORMAT_VERSION;
  readonly kind: 'gateway';
  readonly namespace: string;
  readonly name: string;
  /**
   * The digest of the bundle that this exposure describes. Absent when there is no bundle, and in files of versions that did not write it.
   */
  readonly bundle?: string;
  /** Whether the tool lock has every backend; otherwise further items are possible. */
  readonly complete: boolean;
  readonly authentication: Authentication;
  readonly authorization: AuthorizationSummary;
  /** What clients list: the tools, or the optimizer's search tools in their place. */
  readonly listing: 'tools' | 'optimizer';
  readonly callers: readonly CallerClass[];
  readonly backends: readonly ExposedBackend[];
  /** The tools of backends, those that clients do not see included. */
  readonly tools: readonly ExposedTool[];
  /** Workflows, which clients see as tools too. */
  readonly composites: readonly ExposedComposite[];
  readonly prompts: readonly ExposedPrompt[];
  readonly resources: readonly ExposedResource[];
  readonly resourceTemplates: readonly ExposedResource[];
  readonly withheld: readonly Withheld[];
  readonly totals: Totals;
  /** The embedding server of the optimizer. Absent when it has none, or is known by its URL only. */
  readonly embeddingServer?: { readonly name: string; readonly workload: Workload };
  /** The plan of the gateway, without secrets. Missing in files of versions that did not write it. */
  readonly plan?: PlanView;
  /** Paths of the gateway that a program set past the constructs' props (RFC 6901), sorted; omitted when there are none. */
  readonly escapeHatches?: readonly string[];
}

/** Which callers are admitted: the meaning of `everyone`. */
export type Authentication =
  | { readonly type: 'anonymous' }
  /** All callers on the machine, as the user who runs the gateway. */
  | { readonly type: 'local' }
  | {
      readonly type: 'oidc';
      /** The issuer of the tokens; null when the sources do not contain it. */
      readonly issuer: string | null;
      readonly audience: string | null;
      /** Every token must have all of these scopes; omitted when none are required. */
      readonly scopes?: readonly string[];
    };

export type AuthorizationSummary =
  | { readonly type: 'none' }
  /** `policies`: how many there are; null when the sources do not contain them. */
  | { readonly type: 'cedar'; readonly policies: number | null; readonly source: ObjectName };

export interface ObjectName {
  readonly kind: string;
  readonly name: string;
}

/**
 * The callers who may use an item: every admitted caller, no caller, or the callers who fit one of the grants; unknown when the policies
 * are not in the sources.
 */
export type Who =
  | { readonly type: 'everyone' }
  | { readonly type: 'nobody' }
  | { readonly type: 'unknown' }
  | { readonly type: 'some'; readonly anyOf: readonly Grant[] };

/** A permit with its exceptions. It applies to a caller who fits `permit` and none of `forbids`. */
export interface Grant {
  readonly permit: PolicyCondition;
  readonly forbids: readonly PolicyCondition[];
}

export interface PolicyCondition {
  /** The policy's id. */
  readonly policy: string;
  /** The condition on the caller and the call, in Cedar; `true` for none. */
  readonly text: string;
  /** Set if this is no forbid, but a condition under which evaluation fails, which denies as well. */
  readonly fails?: true;
}

/** Callers whom the policies do not distinguish, with the items that their grant opens, directly or through a workflow. */
export interface CallerClass {
  /** Every caller, or the callers who fit one grant. */
  readonly who: Who;
  readonly tools: readonly string[];
  readonly composites: readonly string[];
  readonly prompts: readonly string[];
  /** URIs of resources and templates. */
  readonly resources: readonly string[];
}

export interface ExposedBackend {
  readonly name: string;
  /** The key of the backend in the tool lock. */
  readonly key: string;
  readonly url: string;
  readonly transport: BackendTransport;
  /** Whether the tool lock has the backend. */
  readonly locked: boolean;
  readonly credential: Credential;
  readonly headers: readonly ForwardedHeader[];
  /** The parameter of the URL that is a secret, judging by its name. Absent when there is none. */
  readonly urlSecret?: string;
  /** The secrets of the server, sorted. Absent in files of versions that did not write them. */
  readonly ownSecrets?: readonly OwnSecret[];
  /** What runs. Empty for a backend that the sources know by its URL only. Absent in files of versions that did not write it. */
  readonly workload?: Workload;
}

/**
 * The object that describes what runs: `spec.image` and each other field, and the digests of the objects that another operator reads for it, such as
 * `MCPToolConfig readers`. Fields that may contain secrets are digests.
 */
export type Workload = { readonly [field: string]: string };

/**
 * A secret that the process of a server gets, or that its proxy adds, for every caller alike. For a server that does not run from these
 * sources, nothing is known.
 */
export interface OwnSecret {
  /** The name of the variable, or a text such as `argument 2` or `header X-Key`; `*` stands for one variable for each key of the Secret. */
  readonly name: string;
  readonly from: /** The key `*` stands for all of them. */
    | { readonly type: 'secret'; readonly name: string; readonly key: string }
    /** Another object that says where the secret is. */
    | { readonly type: 'object'; readonly kind: string; readonly name: string }
    /** The service account of the pod; without a name, the account that the pod gets by default. */
    | { readonly type: 'account'; readonly name: string }
    /** Files that may hold a secret, such as `/srv/keys of the node`. */
    | { readonly type: 'file'; readonly path: string }
    /** A secret in plain text. */
    | { readonly type: 'spec' }
    /** Inherited from the shell that started Lintel. */
    | { readonly type: 'env'; readonly name: string };
}

/** The credential that the gateway sends to a backend. Members that do not apply to the strategy are absent. */
export interface Credential {
  readonly strategy: CredentialStrategy;
  /** Whose identity the backend sees: none, the gateway with its own secret, or the calling person. */
  readonly identity: 'nobody' | 'gateway' | 'caller';
  /** The object that chooses the credential; null when there is none. */
  readonly from: ObjectName | null;
  readonly header?: string;
  /** The upstream of the embedded authorization server whose token is sent. Absent: the caller's own token. */
  readonly provider?: string;
  readonly tokenUrl?: string;
  readonly audience?: string;
  readonly scopes?: readonly string[];
  readonly region?: string;
  /** ARNs of the roles that calls may assume. */
  readonly roles?: readonly string[];
  readonly secrets: readonly SecretUse[];
}

export type CredentialStrategy =
  | 'none'
  /** No credential but headers or a parameter of the URL, which `headers` and `urlSecret` contain. */
  | 'headers'
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

/** A further header: forwarded from the caller, or constant. */
export interface ForwardedHeader {
  readonly name: string;
  readonly from: 'caller' | 'spec' | 'secret';
  /** Where a value from a Secret is stored. Absent in files of versions that did not write it. */
  readonly secret?: SecretUse['from'];
}

/** A hint about a tool, and its source. `steps`: derived from the tools that a workflow calls. */
export interface Hint {
  readonly value: boolean;
  readonly from: 'backend' | 'override' | 'spec' | 'steps';
  /**
   * The hint of the backend itself, where an override has another one. For a workflow: the hint that follows from its steps, where the
   * workflow or an override calls it safer. Absent in files of versions that did not write it.
   */
  readonly backend?: boolean;
}

/** An absent hint is unknown: the backend does not state it. */
export type Hints = { readonly [name in (typeof TOOL_HINTS)[number]]?: Hint };

/** An item that clients see with its definition. */
interface Definition {
  readonly title?: string;
  /** The digest of the definition as clients see it: another digest means another tool under the same name. */
  readonly digest: string;
}

interface ListedTool extends Definition {
  readonly name: string;
  readonly hints: Hints;
  /** Estimated tokens that the definition takes in a model's context. */
  readonly tokens: number;
  /** The callers who may call the item under its own name. */
  readonly direct: Who;
}

export interface ExposedTool extends ListedTool {
  readonly backend: string;
  /** The backend's own name. */
  readonly originalName: string;
  readonly visibility: 'advertised' | 'hidden';
  readonly through: readonly ThroughWorkflow[];
  /** The callers who reach the tool, directly or through workflows. */
  readonly reach: Who;
}

/** A workflow step runs under the authorization of the workflow: every caller of the workflow reaches the tool. */
export interface ThroughWorkflow {
  readonly composite: string;
  readonly step: string;
  readonly who: Who;
}

export interface ExposedComposite extends ListedTool {
  /** The object that describes the workflow. */
  readonly from: ObjectName;
  readonly calls: readonly ExposedCall[];
}

export interface ExposedCall {
  readonly step: string;
  /** The tool, as the step names it. */
  readonly reference: string;
  /** The name of the tool at the gateway; null when the tool lock has no such tool. */
  readonly tool: string | null;
  /**
   * The questions to the caller that come before the step, in order. Omitted when there are none; missing in files of versions that did not
   * write it.
   */
  readonly asks?: readonly AskedFirst[];
}

export interface AskedFirst {
  /** The step that asks. */
  readonly step: string;
  /** The template of the message, or a digest if it seems to contain a secret. */
  readonly message: string;
  /** Whether the call can still happen when the caller declines or dismisses the question. */
  readonly isOptional: boolean;
}

export interface ExposedPrompt extends Definition {
  readonly name: string;
  readonly backend: string;
  readonly originalName: string;
  readonly direct: Who;
}

export interface ExposedResource extends Definition {
  /** The URI or the URI template; policies decide a read on the concrete URI. */
  readonly uri: string;
  readonly backend: string;
  readonly mimeType?: string;
  readonly direct: Who;
}

/** An item that a backend offers and that clients do not get, because another backend has or claims the name, or because of a fault. */
export interface Withheld {
  readonly type: 'tool' | 'prompt' | 'resource';
  /** The name or URI that the item would have. */
  readonly name: string;
  readonly backend: string;
  readonly originalName: string;
  /** Why the item is withheld. A tool that is withheld for a violation of its own is also among the hidden tools: workflows may call it. */
  readonly reason: WithholdReason | ToolFault['reason'] | 'shadowed';
  /** Details of the violation. Absent when the reason says enough. */
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
