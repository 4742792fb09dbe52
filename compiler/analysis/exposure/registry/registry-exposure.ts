/**
 * The exposure of one registry server: which callers reach which route, what they see there, and which credential goes to which host. Plain
 * data for reports, diffs and tests; `../exposure.schema.json` describes it as `$defs/registry`. Lists are sorted by the identifier of
 * their items, except where the order has a meaning. Secrets appear by reference only.
 */
import type { ClaimMap, RegistryFilterPlan, RegistryOrigin, RegistryRoutePlan } from '#schemas';
import type { EXPOSURE_FORMAT_VERSION } from '../exposure.ts';
import type { PlanView } from '../plan/plan-view.ts';

export interface RegistryExposure {
  readonly formatVersion: typeof EXPOSURE_FORMAT_VERSION;
  readonly kind: 'registry';
  readonly namespace: string;
  readonly name: string;
  /**
   * The digest of the bundle that this exposure describes. Absent when there is no bundle, and in files of versions that did not write it.
   */
  readonly bundle?: string;
  readonly authentication: RegistryAuthentication;
  readonly authorization: RegistryAuthorization;
  /**
   * The classes that the configuration distinguishes, from the least to the most privileged. A caller may belong to several, and sees what all
   * of them see.
   */
  readonly callers: readonly RegistryCaller[];
  /** All routes of the main address. Any other path is 404; where a token is required, 401 comes first. */
  readonly routes: readonly ExposedRoute[];
  readonly registries: readonly ExposedRegistry[];
  readonly sources: readonly ExposedSource[];
  readonly credentials: readonly SentCredential[];
  /** Routes of the internal address, for every client that can connect to it. */
  readonly internalPaths: readonly string[];
  readonly totals: RegistryTotals;
  /** The plan of the server, without secrets. Missing in files of versions that did not write it. */
  readonly plan?: PlanView;
}

export type RegistryAuthentication =
  | { readonly type: 'anonymous' }
  | {
      readonly type: 'oauth';
      readonly resource: string;
      /** Tried in this order; the first that accepts a token wins. */
      readonly providers: readonly AcceptedProvider[];
    };

export interface AcceptedProvider {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  /** Whether tokens that are not JWTs are introspected. */
  readonly acceptsOpaque: boolean;
}

export type RegistryAuthorization =
  | { readonly type: 'none' }
  | { readonly type: 'authenticated' }
  /** Entries without claims are visible only to callers who fit one of `superAdmins`, who see everything. */
  | { readonly type: 'claims'; readonly superAdmins: readonly ClaimMap[] };

/** A class of callers; answers refer to it by `name`. */
export type RegistryCaller = { readonly name: string } & (
  | { readonly type: 'anyone' }
  | { readonly type: 'noToken' }
  /** A valid token with any claims, apart from those that select its provider. */
  | { readonly type: 'token'; readonly provider: string }
  /** A valid token of any provider that meets all of these requirements. */
  | { readonly type: 'claims'; readonly allOf: readonly ClaimRequirement[] }
  | { readonly type: 'superAdmin' }
);

/** A requirement that a token meets if its claim has one of the values. */
export interface ClaimRequirement {
  readonly claim: string;
  readonly anyOf: readonly string[];
}

export interface ExposedRoute {
  readonly method: RegistryRoutePlan['method'];
  /** The path of the route; `{…}` stands for one segment. */
  readonly path: string;
  readonly access: RegistryRoutePlan['access'];
  /** The registry that the route serves, if any. */
  readonly registry: string | null;
  /** One answer for each class of callers, in their order. */
  readonly answers: readonly RouteDecision[];
}

export type RouteDecision =
  | { readonly caller: string; readonly answer: 'deny'; readonly status: 401 | 403 }
  | {
      readonly caller: string;
      readonly answer: 'allow';
      /** The sources whose entries the route shows, in order of precedence. Absent for a route without entries. */
      readonly sources?: readonly string[];
    };

export interface ExposedRegistry {
  readonly name: string;
  /** The sources of the registry, in order of precedence. */
  readonly sources: readonly string[];
  readonly claims: ClaimMap | null;
}

export interface ExposedSource {
  readonly name: string;
  readonly type: RegistryOrigin['type'];
  /** Where entries are read from: a URL without user information and query, or a path. */
  readonly from: string;
  /** Number of entries; null when only the running server knows it. */
  readonly entries: number | null;
  /**
   * The names of the source's entries, sorted, if the entries are in the bundle. Absent otherwise, and in files of versions that did not write them.
   */
  readonly offers?: readonly OfferedName[];
  /** The filter of the source. Absent in files of versions that did not write it. */
  readonly filter?: RegistryFilterPlan;
  readonly claims: ClaimMap | null;
  /** The registries that show the source, sorted. */
  readonly registries: readonly string[];
}

/** A name with all of its versions. */
export interface OfferedName {
  readonly name: string;
  /** The digest of the entries with this name: another digest means other entries under the same name. */
  readonly digest: string;
}

/** A credential that the server sends to others: to fetch keys, to introspect tokens, and to fetch entries. */
export interface SentCredential {
  readonly to: { readonly type: 'provider' | 'source'; readonly name: string };
  /** `introspection`: the caller's token is sent as well. */
  readonly use: 'keys' | 'introspection' | 'entries';
  /** The URL that the credential is sent to, without user information and query. */
  readonly url: string;
  /** `public`: the client identifies itself without a secret. */
  readonly type: 'none' | 'public' | 'basic' | 'bearer';
  readonly username?: string;
  /** The file that holds the secret. */
  readonly file?: string;
}

export interface RegistryTotals {
  readonly routes: number;
  /** Number of routes that answer without a token. */
  readonly open: number;
  readonly registries: number;
  readonly sources: number;
}
