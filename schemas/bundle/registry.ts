/**
 * The bundle of a registry server, in the format of `format.ts`: defaults applied, names resolved, durations in milliseconds. Secrets are files
 * that the runtime reads; the bundle only has their paths.
 */
import type { AuditPlan } from './audit.ts';
import type { BUNDLE_FORMAT_VERSION } from './format.ts';
import type { TelemetryPlan } from './telemetry.ts';
import type { ResourceMetadataPlan, TokenProviderPlan } from './token-provider.ts';

export interface RegistryBundle {
  readonly formatVersion: typeof BUNDLE_FORMAT_VERSION;
  readonly kind: 'registry';
  readonly namespace: string;
  readonly name: string;
  /** The origin of this bundle. The caller of the compiler sets `sourceRevision`; null when it does not. */
  readonly origin: { readonly compilerVersion: string; readonly sourceRevision: string | null };
  /** Features that a runtime needs to serve this bundle; sorted. A runtime that lacks one refuses it. */
  readonly requires: readonly RegistryFeature[];
  /** Every file that the plan reads at run time, sorted by path and use. */
  readonly files: readonly FileRequirement[];
  readonly auth: RegistryAuthPlan;
  readonly authorization: RegistryAuthorizationPlan;
  /** Normalized, without paths that another one covers; sorted. The built-in ones are included. */
  readonly publicPaths: readonly string[];
  /** Everything that the main address serves, and for whom; other paths are not served. */
  readonly routes: readonly RegistryRoutePlan[];
  /** The sources in the order of the configuration. */
  readonly sources: readonly RegistrySourcePlan[];
  /** The registries in the order of the configuration. */
  readonly registries: readonly RegistryPlan[];
  /** Absent when the server writes no audit log. */
  readonly audit?: AuditPlan;
  /** Absent when neither traces nor metrics are switched on. */
  readonly telemetry?: TelemetryPlan;
  /** Null if the server's source is a configuration file, which says nothing about a cluster. */
  readonly deployment: RegistryDeploymentPlan | null;
}

/** Versions of the runtime add members; a name never changes its meaning. */
export type RegistryFeature =
  | 'registry'
  | 'registry-audit'
  | 'registry-oauth'
  | 'registry-introspection'
  | 'registry-claims'
  | 'registry-source-api'
  | 'registry-source-bundled'
  | 'registry-source-file'
  | 'registry-source-git'
  | 'registry-source-url'
  | 'registry-telemetry';

export interface FileRequirement {
  readonly path: string;
  readonly use: 'ca-certificates' | 'client-secret' | 'password' | 'token';
}

export type RegistryAuthPlan =
  | { readonly mode: 'anonymous' }
  | {
      readonly mode: 'oauth';
      readonly realm: string;
      /** Served without a token; challenges link to it. */
      readonly resourceMetadata: ResourceMetadataPlan;
      /** Tried in this order; the first that accepts a token wins. */
      readonly providers: readonly TokenProviderPlan[];
    };

/** Required claims by name; a caller needs one of the values of each. As a role, an empty map matches no caller. */
export interface ClaimMap {
  readonly [claim: string]: readonly string[];
}

/**
 * `none`: every client may read everything. `authenticated`: every caller with a valid token may. `claims`: only callers with the claims of
 * a registry or an entry may read it; a registry or entry without claims is for super admins only.
 */
export type RegistryAuthorizationPlan =
  | { readonly type: 'none' }
  | { readonly type: 'authenticated' }
  | {
      readonly type: 'claims';
      readonly roles: {
        readonly superAdmin: readonly ClaimMap[];
        readonly manageSources: readonly ClaimMap[];
        readonly manageRegistries: readonly ClaimMap[];
        readonly manageEntries: readonly ClaimMap[];
      };
      /** Compared with the number of loaded rules, so that no rule is lost unnoticed. */
      readonly ruleCount: number;
    };

export interface RegistryRoutePlan {
  readonly method: 'GET';
  /** The path of the route, in which `{…}` stands for any one segment. */
  readonly path: string;
  /**
   * `public`: a token is optional, and without one only entries without claims are shown, for every authorization plan. `caller`: a
   * valid token is required, and the authorization plan applies.
   */
  readonly access: 'public' | 'caller';
  /** The registry that the route serves, if any. */
  readonly registry: string | null;
}

export interface RegistrySourcePlan {
  readonly name: string;
  readonly from: RegistryOrigin;
  /** How often the source is read again; null for one inside the bundle. */
  readonly intervalMs: number | null;
  /** Which entries the server keeps. For entries inside the bundle, the compiler has applied it already. */
  readonly filter: RegistryFilterPlan;
  /** Claims that its entries inherit; null when there are none. */
  readonly claims: ClaimMap | null;
}

export type RegistryOrigin =
  | {
      readonly type: 'git';
      readonly repository: string;
      /** `default`: the default branch of the repository. */
      readonly ref:
        | { readonly type: 'default' }
        | { readonly type: 'branch' | 'tag' | 'commit'; readonly name: string };
      readonly path: string;
      readonly credentials: { readonly username: string; readonly passwordFile: string } | null;
    }
  | ({ readonly type: 'api'; readonly endpoint: string } & HttpOriginPlan)
  | ({ readonly type: 'url'; readonly url: string } & HttpOriginPlan)
  /** A file next to the server, read at run time. */
  | { readonly type: 'file'; readonly path: string }
  /** Entries that the compiler has read and checked, inside the bundle. */
  | { readonly type: 'bundled'; readonly entries: EntriesFile };

interface HttpOriginPlan {
  readonly timeoutMs: number;
  /** Sent with each request to the origin of the URL; absent without credentials. */
  readonly credentials?: HttpCredentialsPlan;
}

/** RFC 7617 or RFC 6750, section 2.1; the files are read again for each reading of the source. */
export type HttpCredentialsPlan =
  | { readonly type: 'basic'; readonly username: string; readonly passwordFile: string }
  | { readonly type: 'bearer'; readonly tokenFile: string };

/**
 * Entries in a file next to `bundle.json`: one `RegistryEntry` as JSON text in each line (UTF-8, LF), sorted by name, then version,
 * and filtered already.
 */
export interface EntriesFile {
  /** Relative to the bundle's directory, with forward slashes, such as `entries/internal.ndjson`. */
  readonly path: string;
  /** `sha256:` and 64 hexadecimal digits, of the file's bytes. */
  readonly digest: string;
  readonly count: number;
  /** The configured location of the entries; for operators. */
  readonly origin: string;
}

/** One version of a server in an entries file. */
export interface RegistryEntry {
  /** `server.json`, validated against its own `$schema`; metadata that a registry added is in the members below. */
  readonly server: { readonly name: string; readonly version: string; readonly [member: string]: unknown };
  /** The status that the official registry states for an entry, if known. */
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** Why it has this status, and since when (RFC 3339 in UTC); absent where no registry states it. */
  readonly statusMessage?: string;
  readonly statusChangedAt?: string;
  /** The times of publication and of the last update (RFC 3339 in UTC); null where unknown. */
  readonly publishedAt: string | null;
  readonly updatedAt: string | null;
}

/** An entry has to pass both lists. Exclusion wins; an empty `include` admits everything. */
export interface RegistryFilterPlan {
  /** Patterns in which `*` matches any text. */
  readonly names: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  /** Tags, each of which must match as a whole. */
  readonly tags: { readonly include: readonly string[]; readonly exclude: readonly string[] };
}

export interface RegistryPlan {
  readonly name: string;
  /** The names of the sources. If several have the same entry, the first of them wins. */
  readonly sources: readonly string[];
  /** Claims that a caller needs to see it; null when there are none. */
  readonly claims: ClaimMap | null;
}

/** Settings for running the server in a cluster, for the manifests and the controller. The runtime does not read them. */
export interface RegistryDeploymentPlan {
  readonly displayName: string | null;
  readonly imagePullSecrets: readonly { readonly name: string }[];
  readonly podTemplateSpec: { readonly [key: string]: unknown } | null;
  /** Whether a NetworkPolicy limits the pods to connections that the bundle names; an annotation of the object can turn it off. */
  readonly networkPolicy: boolean;
  readonly volumes: readonly { readonly [key: string]: unknown }[];
  readonly volumeMounts: readonly { readonly [key: string]: unknown }[];
}
