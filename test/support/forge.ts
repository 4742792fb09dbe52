/** A forge over real HTTP, with the part of the GitHub, GitLab or Gitea API for statuses and comments. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type StubProvider = 'github' | 'gitlab' | 'gitea';

export interface StubStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  /** Where its link leads. */
  readonly url: string | undefined;
}

export interface StubComment {
  readonly id: number;
  body: string;
  readonly author: number;
}

export interface StubRequest {
  readonly method: string;
  /** The path with its query, as the client sent it. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

/** The owner of a token, and whether it may comment. */
interface StubUser {
  readonly id: number;
  readonly mayComment: boolean;
  /** Undefined: the forge refuses to name the token's owner. */
  readonly isApp?: boolean;
}

export const STUB_TOKEN = 'token-of-the-controller';

/** The stub's page size: small, so that everything has several pages. */
const PAGE = 2;

export class StubForge implements AsyncDisposable {
  readonly provider: StubProvider;
  /** Every accepted status, in order. */
  readonly statuses: StubStatus[] = [];
  readonly requests: StubRequest[] = [];
  readonly users = new Map<string, StubUser>([[STUB_TOKEN, { id: 7, mayComment: true }]]);
  /** Existing commits, with the numbers of the pull requests that brought them. */
  readonly commits = new Map<string, readonly number[]>();
  readonly comments = new Map<number, StubComment[]>();
  /** Answers a request in place of the forge; undefined lets the forge answer. */
  intercept: (request: StubRequest) => StubAnswer | undefined | Promise<StubAnswer | undefined> = () => undefined;
  /** `owner/name` of the only repository. */
  readonly repository: string;
  readonly #server: Server;
  #port = 0;
  #lastId = 100;

  static async start(provider: StubProvider, repository = 'team/gateways'): Promise<StubForge> {
    const forge = new StubForge(provider, repository);
    await new Promise<void>(resolve => forge.#server.listen(0, '127.0.0.1', resolve));
    forge.#port = (forge.#server.address() as AddressInfo).port;
    return forge;
  }

  private constructor(provider: StubProvider, repository: string) {
    this.provider = provider;
    this.repository = repository;
    this.#server = createServer((message, response) => {
      void this.#receive(message).then(({ status, headers = {}, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get apiUrl(): string {
    return this.origin + this.#root;
  }

  /** The newest status of each context of a commit. */
  statusesOf(commit: string): { readonly [context: string]: string } {
    const own = this.statuses.filter(status => status.commit === commit);
    return Object.fromEntries(own.map(({ context, state, description }) => [context, `${state}: ${description}`]));
  }

  addComment(pullRequest: number, body: string, author = 99): StubComment {
    this.#lastId += 1;
    const comment = { id: this.#lastId, body, author };
    this.comments.set(pullRequest, [...(this.comments.get(pullRequest) ?? []), comment]);
    return comment;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  get #root(): string {
    return { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }[this.provider];
  }

  async #receive(message: IncomingMessage): Promise<StubAnswer> {
    const { method = '', url = '', headers } = message;
    const request: StubRequest = { method, path: url, headers, body: await text(message) };
    this.requests.push(request);
    return (await this.intercept(request)) ?? this.#answer(request);
  }

  #answer(request: StubRequest): StubAnswer {
    const { headers, method } = request;
    if (this.provider === 'github' && headers['user-agent'] === undefined)
      return { status: 403, body: { message: 'no User-Agent' } };
    const user = this.users.get(this.#tokenOf(headers));
    if (user === undefined) return { status: 401, body: { message: 'Bad credentials' } };
    const { pathname } = new URL(request.path, this.origin);
    if (!pathname.startsWith(this.#root)) return { status: 404, body: '404 page not found' };
    const path = pathname.slice(this.#root.length);
    if (path === '/user') return user.isApp === true ? FORBIDDEN : { status: 200, body: { id: user.id } };
    const base = this.#base;
    if (!path.startsWith(`${base}/`)) return NOT_FOUND;
    const own = path.slice(base.length);
    const status = /^\/statuses\/([0-9a-f]+)$/.exec(own);
    if (status !== null && method === 'POST') return this.#setStatus(status[1] ?? '', request);
    const pulls = /^(?:\/repository)?\/commits\/([0-9a-f]+)\/(pulls|pull|merge_requests)$/.exec(own);
    if (pulls !== null && pulls[2] === PULLS[this.provider]) return this.#pulls(pulls[1] ?? '', request);
    return this.#commentCall(own, request, user);
  }

  get #base(): string {
    return this.provider === 'gitlab'
      ? `/projects/${encodeURIComponent(this.repository)}`
      : `/repos/${this.repository}`;
  }

  #tokenOf(headers: IncomingMessage['headers']): string {
    if (this.provider === 'gitlab') return String(headers['private-token'] ?? '');
    const [scheme = '', token = ''] = (headers.authorization ?? '').split(' ');
    return scheme === (this.provider === 'github' ? 'Bearer' : 'token') ? token : '';
  }

  #setStatus(commit: string, request: StubRequest): StubAnswer {
    if (!this.commits.has(commit))
      return this.provider === 'github' ? { status: 422, body: { message: 'No commit found' } } : NOT_FOUND;
    const body = JSON.parse(request.body) as {
      state: string;
      context?: string;
      name?: string;
      description: string;
      target_url?: string;
    };
    const context = (this.provider === 'gitlab' ? body.name : body.context) ?? '';
    const { limit, states } = STATUS_RULES[this.provider];
    if (!states.includes(body.state) || body.description.length > limit || context === '')
      return { status: this.provider === 'gitlab' ? 400 : 422, body: { message: 'Validation Failed' } };
    const last = this.statuses.findLast(status => status.commit === commit && status.context === context);
    if (this.provider === 'gitlab' && last?.state === 'pending' && body.state === 'pending') {
      const message =
        'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")';
      return { status: 400, body: { message } };
    }
    this.statuses.push({ commit, context, state: body.state, description: body.description, url: body.target_url });
    return { status: 201, body: { id: this.statuses.length } };
  }

  #pulls(commit: string, request: StubRequest): StubAnswer {
    const numbers = this.commits.get(commit);
    if (numbers === undefined) return NOT_FOUND;
    if (this.provider === 'gitea') {
      const [number] = numbers;
      return number === undefined ? NOT_FOUND : { status: 200, body: { number, state: 'closed' } };
    }
    const items = numbers.map(number =>
      this.provider === 'gitlab'
        ? { iid: number, id: number + 1000, state: 'merged' }
        : { number, id: number + 1000, state: 'closed' },
    );
    return this.#page(items, request);
  }

  #commentCall(own: string, { method, body }: StubRequest, user: StubUser): StubAnswer {
    const request = this.requests.at(-1);
    const list =
      this.provider === 'gitlab'
        ? /^\/merge_requests\/(\d+)\/notes$/.exec(own)
        : /^\/issues\/(\d+)\/comments$/.exec(own);
    if (list !== null) {
      const number = Number(list[1]);
      if (method === 'GET') {
        const found = (this.comments.get(number) ?? []).map(comment => this.#commentBody(comment));
        // Gitea does not page these.
        return this.provider === 'gitea' || request === undefined
          ? { status: 200, body: found }
          : this.#page(found, request);
      }
      if (!user.mayComment) return FORBIDDEN;
      const comment = this.addComment(number, (JSON.parse(body) as { body: string }).body, user.id);
      return { status: 201, body: this.#commentBody(comment) };
    }
    const one =
      this.provider === 'gitlab'
        ? /^\/merge_requests\/\d+\/notes\/(\d+)$/.exec(own)
        : /^\/issues\/comments\/(\d+)$/.exec(own);
    const id = Number(one?.[1]);
    const [number, all] = [...this.comments].find(([, comments]) => comments.some(comment => comment.id === id)) ?? [];
    const comment = all?.find(comment => comment.id === id);
    if (number === undefined || all === undefined || comment === undefined) return NOT_FOUND;
    if (comment.author !== user.id || !user.mayComment) return FORBIDDEN;
    if (method === (this.provider === 'gitlab' ? 'PUT' : 'PATCH')) {
      comment.body = (JSON.parse(body) as { body: string }).body;
      return { status: 200, body: this.#commentBody(comment) };
    }
    if (method !== 'DELETE') return { status: 405, body: {} };
    this.comments.set(
      number,
      all.filter(one => one !== comment),
    );
    return { status: 204 };
  }

  #commentBody({ id, body, author }: StubComment): object {
    const isApp = [...this.users.values()].some(user => user.id === author && user.isApp === true);
    if (this.provider === 'gitlab') return { id, body, system: false, author: { id: author } };
    return { id, body, user: { id: author, type: isApp ? 'Bot' : 'User' } };
  }

  #page(items: readonly object[], request: StubRequest): StubAnswer {
    const url = new URL(request.path, this.origin);
    const page = Number(url.searchParams.get('page') ?? 1);
    const shown = items.slice((page - 1) * PAGE, page * PAGE);
    const link = (rel: string, to: number) => {
      url.searchParams.set('page', String(to));
      return `<${url.href}>; rel="${rel}"`;
    };
    const last = Math.max(1, Math.ceil(items.length / PAGE));
    const links = [...(page < last ? [link('next', page + 1)] : []), link('last', last), link('first', 1)];
    return { status: 200, headers: { link: links.join(', ') }, body: shown };
  }
}

const NOT_FOUND: StubAnswer = { status: 404, body: { message: 'Not Found' } };
const FORBIDDEN: StubAnswer = { status: 403, body: { message: 'Resource not accessible' } };

const PULLS: { readonly [P in StubProvider]: string } = { github: 'pulls', gitlab: 'merge_requests', gitea: 'pull' };

const STATUS_RULES: { readonly [P in StubProvider]: { readonly limit: number; readonly states: readonly string[] } } = {
  github: { limit: 140, states: ['error', 'failure', 'pending', 'success'] },
  gitlab: { limit: 255, states: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] },
  gitea: { limit: 65_535, states: ['pending', 'success', 'error', 'failure', 'warning'] },
};
