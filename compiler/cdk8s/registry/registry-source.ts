import type { RegistrySource as SourceConfig } from '#schemas';
import { type Call, captureCall } from '../origins.ts';
import type { RenderedPart } from '../rendered.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { AbsolutePath } from '../values/path.ts';
import type { Period } from '../values/period.ts';
import type { HttpsUrl, HttpUrl, LoopbackUrl } from '../values/url.ts';
import type { Claims } from './claims.ts';
import type { RegistryPart, SecretFile, ToPath } from './server-file.ts';

interface CommonSourceProps {
  /** Which entries of the source are listed: an entry must pass both lists, and exclusion takes precedence. */
  readonly filter?: NonNullable<SourceConfig['filter']>;
  /** Claims that the entries of the source inherit. */
  readonly claims?: Claims;
}

interface FetchedSourceProps extends CommonSourceProps {
  /** How often the source is read again. */
  readonly every: Period;
}

/** The branch, tag or commit to read: at most one of the three; by default, the default branch. */
export type GitReference =
  | { readonly branch?: string; readonly tag?: never; readonly commit?: never }
  | { readonly tag: string; readonly branch?: never; readonly commit?: never }
  | { readonly commit: string; readonly branch?: never; readonly tag?: never };

/** The location of a repository; with a password only over an encrypted connection. */
export type GitRepository =
  | {
      /** URL to clone. */
      readonly repository: HttpsUrl | LoopbackUrl;
      readonly auth?: GitCredentials;
    }
  | {
      /** URL or path to clone, without a password. */
      readonly repository: HttpUrl | `file://${string}` | AbsolutePath;
      readonly auth?: never;
    };

/** Credentials for HTTP basic authentication. */
export interface GitCredentials {
  readonly username: string;
  /** The password or token. */
  readonly password: SecretFile;
}

/** A file in a Git repository. */
export type GitSourceProps = FetchedSourceProps &
  GitReference &
  GitRepository & {
    /** Path of the file in the repository. Default: `registry.json`. */
    readonly path?: string;
  };

/** Credentials for HTTP: basic authentication, or a bearer token. */
export type HttpCredentials =
  | { readonly username: string; readonly password: SecretFile; readonly token?: never }
  | { readonly token: SecretFile; readonly username?: never; readonly password?: never };

/** Another registry with the official registry's API; with credentials only over an encrypted connection. */
export type ApiSourceProps = FetchedSourceProps & {
  /** Timeout of a request, at most `5m`. Default: `10s`. */
  readonly timeout?: Period;
} & (
    | {
        /** Base URL of the registry, without `/v0.1`. */
        readonly endpoint: HttpsUrl | LoopbackUrl;
        readonly auth?: HttpCredentials;
      }
    | {
        /** Base URL of the registry, without `/v0.1`. */
        readonly endpoint: HttpUrl;
        readonly auth?: never;
      }
  );

/** A file at a URL; with credentials only over an encrypted connection. */
export type UrlSourceProps = FetchedSourceProps & {
  /** Timeout of a request, at most `5m`. Default: `30s`. */
  readonly timeout?: Period;
} & (
    | { readonly url: HttpsUrl | LoopbackUrl; readonly auth?: HttpCredentials }
    | { readonly url: HttpUrl; readonly auth?: never }
  );

/** A file next to the running server. The server reads it again at intervals. */
export interface LocalFileSourceProps extends CommonSourceProps {
  readonly path: AbsolutePath;
  /** How often the file is read again. Default: `1m`. */
  readonly every?: Period;
}

/** A file of the project that is written into the bundle. */
export interface ProjectFileSourceProps extends CommonSourceProps {
  /** The path of the file, relative to the configuration's file. */
  readonly path: string;
}

/** Servers that are compiled together with the registry and annotated for export. */
export interface KubernetesSourceProps extends CommonSourceProps {
  /** The namespaces whose servers are listed. Default: all of them. */
  readonly namespaces?: readonly string[];
}

type Origins = { readonly [pointer: string]: readonly string[] };

/**
 * A source of entries. Registries refer to the source object, so that a source cannot be missing.
 *
 * @example
 * const upstream = RegistrySource.api('upstream', { endpoint: 'https://registry.modelcontextprotocol.io', every: '1h' });
 * new Registry(this, 'company', { registries: [{ name: 'engineering', sources: [upstream] }], auth: RegistryAuth.anonymous() });
 */
export class RegistrySource implements RegistryPart {
  /** The name by which registries refer to the source. */
  readonly name: string;
  readonly #common: CommonSourceProps & { readonly every?: Period };
  readonly #block: (toPath: ToPath) => object;
  readonly #call: Call;
  readonly #origins: Origins;

  private constructor(
    name: string,
    common: CommonSourceProps & { readonly every?: Period },
    block: (toPath: ToPath) => object,
    call: Call,
    origins: Origins = {},
  ) {
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
      throw new Error(
        `"${name}" is not a valid name of a source: use lower-case letters, digits and hyphens, at most 63`,
      );
    this.name = name;
    this.#common = common;
    this.#block = block;
    this.#call = call;
    this.#origins = origins;
  }

  /**
   * A file in a Git repository.
   *
   * @example
   * RegistrySource.git('internal', {
   *   repository: 'https://git.example.com/platform/mcp-catalog.git',
   *   branch: 'main',
   *   path: 'catalog/servers.json',
   *   auth: { username: 'registry', password: Secret.key('registry', 'git-token') },
   *   every: '5m',
   * });
   */
  static git(name: string, props: GitSourceProps): RegistrySource {
    const { repository, branch, tag, commit, path, auth } = props;
    const block = (toPath: ToPath) => ({
      git: {
        repository,
        branch,
        tag,
        commit,
        path,
        auth: auth && { username: auth.username, passwordFile: toPath(auth.password) },
      },
    });
    return new RegistrySource(name, props, block, captureCall(RegistrySource.git), {
      '/git': [],
      '/git/auth/passwordFile': ['auth', 'password'],
    });
  }

  /**
   * Another registry with the official registry's API.
   *
   * @example
   * RegistrySource.api('upstream', { endpoint: 'https://registry.modelcontextprotocol.io', every: '1h' });
   * RegistrySource.api('partner', {
   *   endpoint: 'https://registry.partner.example.com',
   *   auth: { token: Secret.key('registry', 'partner-token') },
   *   every: '1h',
   * });
   */
  static api(name: string, props: ApiSourceProps): RegistrySource {
    const { endpoint, timeout, auth } = props;
    const block = (toPath: ToPath) => ({ api: { endpoint, timeout, auth: httpAuth(auth, toPath) } });
    return new RegistrySource(name, props, block, captureCall(RegistrySource.api), {
      '/api': [],
      ...originsOfAuth('/api/auth'),
    });
  }

  /**
   * A file at a URL.
   *
   * @example
   * RegistrySource.url('published', { url: 'https://www.example.com/.well-known/mcp-servers.json', every: '15m' });
   */
  static url(name: string, props: UrlSourceProps): RegistrySource {
    const { url, timeout, auth } = props;
    const block = (toPath: ToPath) => ({ file: { url, timeout, auth: httpAuth(auth, toPath) } });
    return new RegistrySource(name, props, block, captureCall(RegistrySource.url), {
      '/file': [],
      ...originsOfAuth('/file/auth'),
    });
  }

  /**
   * A file next to the running server. The server reads it again at intervals.
   *
   * @example RegistrySource.localFile('mounted', { path: '/data/servers.json' });
   */
  static localFile(name: string, props: LocalFileSourceProps): RegistrySource {
    const { path } = props;
    return new RegistrySource(name, props, () => ({ file: { path } }), captureCall(RegistrySource.localFile), {
      '/file': [],
    });
  }

  /**
   * A file of the project. The compiler reads and checks it, and writes it into the bundle.
   *
   * @throws Error for an absolute path
   * @example
   * RegistrySource.projectFile('ours', { path: './servers.json' });
   */
  static projectFile(name: string, props: ProjectFileSourceProps): RegistrySource {
    const { path } = props;
    if (path.startsWith('/'))
      throw new Error(`"${path}" is a file next to the running server: use RegistrySource.localFile`);
    return new RegistrySource(name, props, () => ({ file: { path } }), captureCall(RegistrySource.projectFile), {
      '/file': [],
    });
  }

  /**
   * Servers that are compiled together with the registry and annotated for export.
   *
   * @example
   * RegistrySource.kubernetes('cluster', { namespaces: ['mcp'] });
   */
  static kubernetes(name: string, props: KubernetesSourceProps = {}): RegistrySource {
    const { namespaces } = props;
    return new RegistrySource(
      name,
      props,
      () => ({ kubernetes: { namespaces } }),
      captureCall(RegistrySource.kubernetes),
      {
        '/kubernetes': [],
      },
    );
  }

  /** Renders the settings for the registry. */
  render(toPath: ToPath): RenderedPart {
    const { filter, claims, every } = this.#common;
    const syncPolicy = every && { interval: every };
    const value = toManifestValue({ name: this.name, ...this.#block(toPath), syncPolicy, filter, claims }) as object;
    const own = Object.entries(this.#origins).map(([pointer, path]) => ({
      pointer,
      callSite: this.#call.at(1, ...path),
    }));
    return {
      value,
      origins: [
        { pointer: '', callSite: this.#call.at(1) },
        { pointer: '/name', callSite: this.#call.at(0) },
        { pointer: '/syncPolicy', callSite: this.#call.at(1) },
        { pointer: '/syncPolicy/interval', callSite: this.#call.at(1, 'every') },
        ...own,
      ],
    };
  }
}

function httpAuth(auth: HttpCredentials | undefined, toPath: ToPath): object | undefined {
  if (auth === undefined) return undefined;
  if (auth.token !== undefined) return { tokenFile: toPath(auth.token) };
  return { username: auth.username, passwordFile: toPath(auth.password) };
}

function originsOfAuth(pointer: string): Origins {
  return { [`${pointer}/tokenFile`]: ['auth', 'token'], [`${pointer}/passwordFile`]: ['auth', 'password'] };
}
