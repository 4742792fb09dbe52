/** The browser functions that a sign-in needs: cookies by host and path, redirects, and forms. */

export interface Visit {
  /** The final URL. */
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Every URL that was visited, including the final one. */
  readonly way: readonly string[];
}

interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

const MAX_REDIRECTS = 20;

export class TestBrowser {
  #cookies: Cookie[] = [];

  /** @param stopAt URLs with this prefix are not requested: the client listens there */
  async open(url: string, stopAt = 'client:', init: RequestInit = {}): Promise<Visit> {
    let at = new URL(url);
    let request = init;
    const way: string[] = [];
    for (let left = MAX_REDIRECTS; left > 0; left--) {
      way.push(at.href);
      if (at.href.startsWith(stopAt)) return { url: at, status: 0, text: '', headers: new Headers(), way };
      const answer = await fetch(at, {
        ...request,
        redirect: 'manual',
        headers: { ...(request.headers as Record<string, string>), cookie: this.#sent(at) },
      });
      this.#keep(at, answer.headers);
      const location = answer.headers.get('location');
      if (location === null || answer.status < 300 || answer.status > 399) {
        return { url: at, status: answer.status, text: await answer.text(), headers: answer.headers, way };
      }
      await answer.body?.cancel();
      at = new URL(location, at);
      request = {};
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects: ${way.join(' ')}`);
  }

  /** Presses a button of the page's form. */
  submit(page: Visit, decision: string, stopAt?: string): Promise<Visit> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`no form at ${page.url}: ${page.status} ${page.text}`);
    return this.open(new URL(action, page.url).href, stopAt, {
      method: 'POST',
      body: new URLSearchParams({ decision }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: page.url.origin },
    });
  }

  #sent(at: URL): string {
    return this.#cookies
      .filter(
        ({ host, path }) =>
          host === at.host && (at.pathname === path || at.pathname.startsWith(path.replace(/\/?$/, '/'))),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(at: URL, headers: Headers): void {
    for (const text of headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split(';').map(part => part.trim());
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find(one => /^path=/i.test(one))?.slice('path='.length) ?? '/';
      this.#cookies = this.#cookies.filter(one => !(one.host === at.host && one.path === path && one.name === name));
      if (value !== '') this.#cookies.push({ host: at.host, path, name, value });
    }
  }
}
