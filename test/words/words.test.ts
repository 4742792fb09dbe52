/**
 * Words that this project does not use, because they leave readers to guess who does what: name the actor (caller, operator, client, backend)
 * and what the machine does (notify, receive, report, validate). Pages have none of them. Comments and test titles still have some: their number
 * may only decrease, so lower it with each text that is rewritten.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const WORDS = /\b(told(?! apart)|somebody|whoever|anew|greet(s|ed)?|heard|hears?|beside)\b/gi;

/** Comments and titles have none of these either; on pages, `nobody` is a value in reports and part of the names of codes. */
const SUBJECTS = /\b(nobody|anybody|everybody)\b/gi;

/** Code on a page, such as a command, is not prose. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...globSync(
    ['{docs,schemas,compiler,runtime,bridge,controller,shared,testing,examples}/**/*.md', 'test/**/README.md'],
    { cwd: ROOT, exclude: path => path.includes('node_modules') },
  ),
  // A decision record is superseded rather than edited, and the texts of an example's servers are data.
].filter(page => !/\/(adr|servers\/data)\//.test(page));

const COMMENTS_LEFT = 10;
const TITLES_LEFT = 0;

function wordsIn(text: string): string[] {
  return [...text.matchAll(WORDS)].map(([word]) => word.toLowerCase());
}

test('documentation pages contain none of the words that hide the actor', () => {
  expect(PAGES.length).toBeGreaterThan(100);
  const found = PAGES.flatMap(page => {
    const prose = readFileSync(join(ROOT, page), 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`\n]*`|\]\([^)]*\)/g, '');
    return wordsIn(prose).map(word => `${page}: ${word}`);
  });
  expect(found).toEqual([]);
});

test('comments and test titles contain at most the recorded number of words that hide the actor', () => {
  const files = globSync('{schemas,compiler,runtime,bridge,controller,shared,testing,test,build,examples}/**/*.ts', {
    cwd: ROOT,
    exclude: path => path.includes('node_modules') || path.includes('generated'),
  });
  let comments = 0;
  let titles = 0;
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [comment] of text.matchAll(/\/\*[\s\S]*?\*\/|(?<![:'"`/])\/\/[^\n]*/g))
      comments += wordsIn(comment).length + (comment.match(SUBJECTS)?.length ?? 0);
    if (!file.endsWith('.test.ts')) continue;
    for (const [, , title = ''] of text.matchAll(/\b(?:test|it|describe)(?:\.\w+)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)) {
      titles += wordsIn(title).length + (title.match(SUBJECTS)?.length ?? 0);
    }
  }
  expect({ comments, titles }).toSatisfy(
    (found: { comments: number; titles: number }) => found.comments <= COMMENTS_LEFT && found.titles <= TITLES_LEFT,
    `at most ${COMMENTS_LEFT} in comments and ${TITLES_LEFT} in titles`,
  );
});
