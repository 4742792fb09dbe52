import { type CodeEntry, EXAMPLE_LANGUAGES, type Example, type ExamplePart, FIXED_REASONS } from '../code-entry.ts';

/** Whether a mistake can happen in a program with constructs. */
const CONSTRUCT_WAYS = ['cannot be written', 'error at synth', 'still possible'] as const;

export interface WithConstructs {
  readonly way: (typeof CONSTRUCT_WAYS)[number];
  readonly why: string;
}

export type CodePage = readonly [code: string, entry: CodeEntry, constructs: WithConstructs | undefined];

/**
 * The code that a page of `codes/` documents. A page has front matter: `severity`, `since`, and if they apply `check`, `needs` and `fixed`.
 * A code about gateways has `constructs: "WAY: REASON"`, which says whether a program with constructs can contain the mistake.
 * Its title is the code and its name. The first paragraph says what is found, the next ones why it matters. The sections `What to do`,
 * `Bad` and `Good` follow.
 *
 * An example consists of blocks: ```yaml, ```json, ```ts or ```sh. The line above the block of a file has the name of the file between
 * backticks, and a colon. A single block of YAML without a name is a spec. For any other example, tests write the files into a folder
 * and run the block of commands there, or `lintel check` if the example has no commands.
 *
 * @throws Error that names the page and the mistake
 */
export function readCode(page: string, text: string): CodePage {
  const wrong = (problem: string) => new Error(`compiler/diagnostics/codes/${page}: ${problem}`);
  const [, settings, title, body] = /^---\n(.*?)---\n\n# (.+?)\n\n(.*)$/s.exec(text) ?? [];
  if (settings === undefined || title === undefined || body === undefined) {
    throw wrong('expected front matter and then a title, # LNT1234 name');
  }
  const [, code, name] = /^(LNT[1-9]\d{3}) ([a-z]+(?:-[a-z]+)*)$/.exec(title) ?? [];
  if (code === undefined || name === undefined) throw wrong(`"${title}" is not a code and its name in kebab-case`);
  if (page !== `${code}-${name}.md`) throw wrong(`its title asks for the file name ${code}-${name}.md`);

  const [meaning = '', ...rest] = body.split(/^## /m);
  const sections = new Map(rest.map(section => parseSection(section)));
  for (const heading of sections.keys()) {
    if (!SECTIONS.has(heading)) throw wrong(`no section is called "${heading}"; use ${[...SECTIONS].join(', ')}`);
  }
  const fix = joinParagraphs(sections.get('What to do') ?? '');
  if (!fix.endsWith('.')) throw wrong('the section "What to do" has to end with a full stop');

  const { severity, check, since, needs, fixed, constructs, ...others } = parseSettings(settings);
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw wrong(`front matter has no member "${unknown}"`);
  if (severity !== 'error' && severity !== 'warning' && severity !== 'hint')
    throw wrong('severity: error, warning or hint');
  if (check !== undefined && check !== 'error') throw wrong('check: error');
  if (since === undefined) throw wrong('since: the version that adds the code');
  if (needs !== undefined && needs !== 'lock' && needs !== 'pods') throw wrong('needs: lock or pods');
  if (fixed !== undefined && !isFixedReason(fixed))
    throw wrong(`fixed: one of ${Object.keys(FIXED_REASONS).join(', ')}`);

  const example = (heading: 'Bad' | 'Good') => {
    const section = sections.get(heading);
    if (section === undefined) throw wrong(`the section "${heading}" is missing`);
    return parseExample(section, problem => wrong(`${heading}: ${problem}`));
  };
  const entry: CodeEntry = {
    name,
    severity,
    ...(check !== undefined && { check }),
    ...(needs === 'lock' && { needsLock: true }),
    ...(needs === 'pods' && { needsPods: true }),
    meaning: joinParagraphs(meaning),
    since,
    fix: fix.slice(0, -1),
    ...(fixed !== undefined && { fixed }),
    bad: example('Bad'),
    good: example('Good'),
  };
  return [code, entry, parseConstructs(code, constructs, wrong)];
}

const SECTIONS: ReadonlySet<string> = new Set(['What to do', 'Bad', 'Good']);

function parseSection(text: string): readonly [heading: string, body: string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), `${text.slice(end).trim()}\n`];
}

/** A block, and the line above it that names its file. */
const BLOCK = /^(?:`([^`\n]+)`:\n\n)?```(\w*)\n(.*?)^```\n+/ms;

/** @param wrong makes the error for a problem */
function parseExample(section: string, wrong: (problem: string) => Error): Example {
  const parts: ExamplePart[] = [];
  for (let rest = section; rest !== ''; ) {
    const [block, file, name, text] = BLOCK.exec(rest) ?? [];
    if (block === undefined || text === undefined || !rest.startsWith(block)) {
      throw wrong('expected blocks of code, each with the name of its file above it, such as `app.ts`:');
    }
    const language = EXAMPLE_LANGUAGES.find(known => known === name);
    if (language === undefined) throw wrong(`the language of a block is one of ${EXAMPLE_LANGUAGES.join(', ')}`);
    parts.push({ ...(file !== undefined && { file }), language, text });
    rest = rest.slice(block.length);
  }
  const named = parts.filter(({ file }) => file !== undefined);
  const commands = parts.filter(({ language }) => language === 'sh');
  if (commands.length > 1 || commands.some(({ file }) => file !== undefined)) {
    throw wrong('all commands are in one block, without a file name');
  }
  const isSpec = parts.length === 1 && parts[0]?.language === 'yaml';
  if (!isSpec && named.length + commands.length < parts.length) throw wrong('name the file of each block');
  return parts;
}

/** @param wrong makes the error for a problem */
function parseConstructs(
  code: string,
  text: string | undefined,
  wrong: (problem: string) => Error,
): WithConstructs | undefined {
  // The areas of gateways: aggregation, incoming authentication, authorization and outgoing connections.
  const isAboutGateways = /^LNT[3-6]/.test(code);
  if (text === undefined && !isAboutGateways) return undefined;
  const [, named, why] = /^"(.*?): ([^"\\]+)"$/.exec(text ?? '') ?? [];
  const way = CONSTRUCT_WAYS.find(known => known === named);
  if (!isAboutGateways || way === undefined || why === undefined) {
    throw wrong(
      `each code from LNT3001 to LNT6999, and no other, has constructs: "WAY: REASON"; WAY is one of ${CONSTRUCT_WAYS.join(', ')}`,
    );
  }
  return { way, why };
}

/** Joins wrapped lines, because terminals wrap by themselves. */
function joinParagraphs(text: string): string {
  return text.trim().split(/\s+/).join(' ');
}

function parseSettings(text: string): { readonly [name: string]: string | undefined } {
  return Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map(line => /^(.*?): (.*)$/.exec(line)?.slice(1) ?? [line]),
  );
}

function isFixedReason(text: string): text is keyof typeof FIXED_REASONS {
  return Object.hasOwn(FIXED_REASONS, text);
}
