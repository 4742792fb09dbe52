/**
 * The exposure of one registry server: which callers reach which route, what they see there, and which credential goes
 * where. Plain data for reports, differences and proofs; `../exposure.schema.json` describes it as `$defs/registry`. Lists
 * are sorted by what names their items, except for those whose order has a meaning. Secrets appear by reference only.
 */
import type { ClaimMap, RegistryOrigin, RegistryRoutePlan } from '#schemas';
import type { EXPOSURE_FORMAT_VERSION } from '../exposure.ts';
import type { PlanView } from '../plan/plan-view.ts';

export interface RegistryExposure {
  readonly formatVersion: typeof EXPOSURE_FORMAT_VERSION;
  readonly kind: 'registry';
  readonly namespace: string;
  readonly name: string;
  readonly authentication: RegistryAuthentication;
  readonly authorization: RegistryAuthorization;
  /** Those that the configuration tells apart, from the least to the most. One may be several of them, and sees what all see. */
  readonly callers: readonly RegistryCaller[];
  /** All that the main address answers. What is not here is 404, where a token is asked for after 401. */
  readonly routes: readonly ExposedRoute[];
  readonly registries: readonly ExposedRegistry[];
  readonly sources: readonly ExposedSource[];
  readonly credentials: readonly SentCredential[];
  /** Answered at the internal address, for every client that can connect to it. */
  readonly internalPaths: readonly string[];
  readonly totals: RegistryTotals;
  /** All that the server goes by, without secrets. Absent in files of versions before it was written. */
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
  /** Whether tokens that are no JWT are looked up. */
  readonly acceptsOpaque: boolean;
}

export type RegistryAuthorization =
  | { readonly type: 'none' }
  | { readonly type: 'authenticated' }
  /** What has no claims is for those whom one of `superAdmins` fits, who see everything. */
  | { readonly type: 'claims'; readonly superAdmins: readonly ClaimMap[] };

/** A class of callers; answers refer to it by `name`. */
export type RegistryCaller = { readonly name: string } & (
  | { readonly type: 'anyone' }
  | { readonly type: 'noToken' }
  /** A valid token, with any claims besides those by which its provider is chosen. */
  | { readonly type: 'token'; readonly provider: string }
  /** A valid token of any provider that meets all of these. */
  | { readonly type: 'claims'; readonly allOf: readonly ClaimRequirement[] }
  | { readonly type: 'superAdmin' }
);

/** Met by a token whose claim has one of the values. */
export interface ClaimRequirement {
  readonly claim: string;
  readonly anyOf: readonly string[];
}

export interface ExposedRoute {
  readonly method: RegistryRoutePlan['method'];
  /** `{…}` stands for one segment. */
  readonly path: string;
  readonly access: RegistryRoutePlan['access'];
  /** The registry that it shows, where it shows one. */
  readonly registry: string | null;
  /** One for each class of callers, in their order. */
  readonly answers: readonly RouteDecision[];
}

export type RouteDecision =
  | { readonly caller: string; readonly answer: 'deny'; readonly status: 401 | 403 }
  | {
      readonly caller: string;
      readonly answer: 'allow';
      /** The sources whose entries are seen, best first. Absent for a route that shows no entries. */
      readonly sources?: readonly string[];
    };

export interface ExposedRegistry {
  readonly name: string;
  /** Best first. */
  readonly sources: readonly string[];
  readonly claims: ClaimMap | null;
}

export interface ExposedSource {
  readonly name: string;
  readonly type: RegistryOrigin['type'];
  /** Where its entries are read: a URL without user information and query, or a path. */
  readonly from: string;
  /** How many entries there are; null where only the server learns it. */
  readonly entries: number | null;
  readonly claims: ClaimMap | null;
  /** Those that show it, sorted. */
  readonly registries: readonly string[];
}

/** What the server presents to others: for keys, with tokens that it looks up, and for entries. */
export interface SentCredential {
  readonly to: { readonly type: 'provider' | 'source'; readonly name: string };
  /** `introspection`: the token of the caller is sent as well. */
  readonly use: 'keys' | 'introspection' | 'entries';
  /** Without user information and query. */
  readonly url: string;
  /** `public`: a client says who it is, without a secret. */
  readonly type: 'none' | 'public' | 'basic' | 'bearer';
  readonly username?: string;
  /** The file that holds the secret. */
  readonly file?: string;
}

export interface RegistryTotals {
  readonly routes: number;
  /** How many of the routes answer without a token. */
  readonly open: number;
  readonly registries: number;
  readonly sources: number;
}
