/**
 * The bundle of a registry server, in the format of `format.ts`: defaults applied, names looked up, durations in
 * milliseconds. Secrets are files that the runtime reads; the bundle holds their paths only.
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
  /** What produced this bundle. `sourceRevision` is what the caller of the compiler gave, or null. */
  readonly origin: { readonly compilerVersion: string; readonly sourceRevision: string | null };
  /** Features without which this bundle must not be served; sorted. A runtime that lacks one refuses it. */
  readonly requires: readonly RegistryFeature[];
  /** Every file that the plan reads at run time, sorted by path and use. */
  readonly files: readonly FileRequirement[];
  readonly auth: RegistryAuthPlan;
  readonly authorization: RegistryAuthorizationPlan;
  /** Normalized, without those that another one covers; sorted. The built-in ones are among them. */
  readonly publicPaths: readonly string[];
  /** Everything that the main address answers, and for whom; what is not listed is not served. */
  readonly routes: readonly RegistryRoutePlan[];
  /** In the order of the configuration. */
  readonly sources: readonly RegistrySourcePlan[];
  /** In the order of the configuration. */
  readonly registries: readonly RegistryPlan[];
  /** Absent where nothing is recorded. */
  readonly audit?: AuditPlan;
  /** Absent where no signal is switched on. */
  readonly telemetry?: TelemetryPlan;
  /** Null for a configuration file, which names no cluster. */
  readonly deployment: RegistryDeploymentPlan | null;
}

/** The union grows as runtimes learn; a name never changes its meaning. */
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

/** Required claims by name; a caller must have one of the values of each. As a role, an empty map fits no caller. */
export interface ClaimMap {
  readonly [claim: string]: readonly string[];
}

/**
 * `none`: every client may read everything. `authenticated`: every caller with a valid token may. `claims`: a registry or an entry
 * is for callers that have its claims, and without claims for super admins.
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
      /** Checked against the rules that were loaded: a lost rule must not go unnoticed. */
      readonly ruleCount: number;
    };

export interface RegistryRoutePlan {
  readonly method: 'GET';
  /** `{…}` stands for one segment. */
  readonly path: string;
  /**
   * `public`: also without a token, and then what has no claims is shown, whatever the authorization plan says. `caller`:
   * with a valid token only, and as the authorization plan says.
   */
  readonly access: 'public' | 'caller';
  /** The registry that it shows, where it shows one. */
  readonly registry: string | null;
}

export interface RegistrySourcePlan {
  readonly name: string;
  readonly from: RegistryOrigin;
  /** How often it is read again; null for what is a part of the bundle. */
  readonly intervalMs: number | null;
  /** Entries of the bundle have passed it already. */
  readonly filter: RegistryFilterPlan;
  /** What entries inherit; null when there are none. */
  readonly claims: ClaimMap | null;
}

export type RegistryOrigin =
  | {
      readonly type: 'git';
      readonly repository: string;
      /** `default`: the branch that the repository says. */
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
  /** Entries that the compiler has read and checked; they are a part of the bundle. */
  | { readonly type: 'bundled'; readonly entries: EntriesFile };

interface HttpOriginPlan {
  readonly timeoutMs: number;
  /** Sent with each request to the origin of the URL; absent for none. */
  readonly credentials?: HttpCredentialsPlan;
}

/** RFC 7617 or RFC 6750, section 2.1; the files are read for each reading of the source. */
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
  /** Where the entries were read, as the configuration says; for people. */
  readonly origin: string;
}

/** One version of a server as it is kept in an entries file. */
export interface RegistryEntry {
  /** `server.json`, checked by its own `$schema`; what a registry added to it stands below instead. */
  readonly server: { readonly name: string; readonly version: string; readonly [member: string]: unknown };
  /** What the official registry says of an entry, as far as it is known. */
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** Why it has this status, and since when (RFC 3339 in UTC); absent where no registry says so. */
  readonly statusMessage?: string;
  readonly statusChangedAt?: string;
  /** RFC 3339 in UTC; null where nothing tells. */
  readonly publishedAt: string | null;
  readonly updatedAt: string | null;
}

/** Exclusion wins; an empty `include` takes everything. An entry passes both. */
export interface RegistryFilterPlan {
  /** Patterns in which `*` fits any text. */
  readonly names: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  /** Whole words. */
  readonly tags: { readonly include: readonly string[]; readonly exclude: readonly string[] };
}

export interface RegistryPlan {
  readonly name: string;
  /** Best first. */
  readonly sources: readonly string[];
  /** What a caller must have to see it; null when there are none. */
  readonly claims: ClaimMap | null;
}

/** What running the server in a cluster needs: its manifests and the controller. The runtime does not read it. */
export interface RegistryDeploymentPlan {
  readonly displayName: string | null;
  readonly imagePullSecrets: readonly { readonly name: string }[];
  readonly podTemplateSpec: { readonly [key: string]: unknown } | null;
  /** Whether connections of the pods are held to what the bundle names; the object's annotation may say no. */
  readonly networkPolicy: boolean;
  readonly volumes: readonly { readonly [key: string]: unknown }[];
  readonly volumeMounts: readonly { readonly [key: string]: unknown }[];
}
