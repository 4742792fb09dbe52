import type { UriTemplate } from './uri-template.ts';

/** Characters of a URI that templates are asked about; one that is longer has to be listed. */
export const MAX_URI_LENGTH = 8_192;

/** Steps (characters times parts of a template) that the templates of one backend may take over one URI: milliseconds. */
export const MAX_STEPS = 1_000_000;

export interface TemplateRoute {
  readonly template: UriTemplate;
  readonly backend: string;
}

/**
 * Which backend reads a URI that no list names. What a template costs depends on what its backend wrote and a client asks for:
 * one that costs too much does not match, whereas those of other backends do.
 */
export class TemplateRoutes {
  readonly #routes: readonly TemplateRoute[];

  /** @param routes in the order in which they are asked */
  constructor(routes: readonly TemplateRoute[]) {
    this.#routes = routes;
  }

  /** The backend of the first template that could have produced the URI. */
  backendOf(uri: string): string | undefined {
    if (uri.length > MAX_URI_LENGTH) return undefined;
    const steps = new Map<string, number>();
    for (const { template, backend } of this.#routes) {
      if (!uri.startsWith(template.prefix)) continue;
      const total = (steps.get(backend) ?? 0) + template.stepsFor(uri.length);
      if (total > MAX_STEPS) continue;
      steps.set(backend, total);
      if (template.matches(uri)) return backend;
    }
    return undefined;
  }
}
