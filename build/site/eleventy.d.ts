/** The parts of Eleventy and its Markdown renderer that the site uses. */
declare module '@11ty/eleventy' {
  export interface MarkdownToken {
    readonly type: string;
    readonly content: string;
    readonly children: readonly MarkdownToken[] | null;
    readonly tag: string;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }

  /** The data of the page that is rendered. */
  export interface MarkdownEnvironment {
    readonly page?: { readonly inputPath: string };
  }

  export type RenderRule = (
    tokens: readonly MarkdownToken[],
    at: number,
    options: unknown,
    env: MarkdownEnvironment,
    self: { renderToken(tokens: readonly MarkdownToken[], at: number, options: unknown): string },
  ) => string;

  export interface Markdown {
    readonly renderer: { readonly rules: Record<string, RenderRule | undefined> };
    readonly core: {
      readonly ruler: {
        push(
          name: string,
          rule: (state: { readonly tokens: readonly MarkdownToken[]; readonly env: MarkdownEnvironment }) => void,
        ): void;
      };
    };
    set(options: { readonly html: boolean }): void;
    render(text: string, env: MarkdownEnvironment): string;
    parse(text: string, env: MarkdownEnvironment): readonly MarkdownToken[];
  }

  export interface Configuration {
    readonly ignores: Set<string>;
    setTemplateFormats(formats: readonly string[]): void;
    addExtension(names: readonly string[], options: { readonly key: string }): void;
    addGlobalData(name: string, value: unknown): void;
    amendLibrary(name: 'md', amend: (library: Markdown) => void): void;
  }

  export default class Eleventy {
    constructor(input: string, output: string, options: { readonly configPath: string; readonly quietMode: boolean });
    write(): Promise<unknown>;
  }
}
