import { expect, test } from 'vitest';
import { SourceText } from '#compiler';
import { listCodeComments } from '../../../compiler/lint/code-comments.ts';
import { listCommentDirectives } from '../../../compiler/lint/index.ts';

test.each([
  ['a line comment', 'const a = 1; // one', ['// one']],
  ['a block comment over two lines', '/* one\n two */ a', ['/* one\n two */']],
  ['a block comment without an end', 'a /* one', ['/* one']],
  ['strings with comment signs', `const a = '// no', b = "/* no */", c = 'it\\'s // no'; // one`, ['// one']],
  ['a string without an end', `const a = 'no // no\n// one`, ['// one']],
  [
    'templates with comment signs',
    'const a = `// no $' + '{b /* one */ + `// no $' + '{c}`} // no`; // two',
    ['/* one */', '// two'],
  ],
  ['braces in a template', 'const a = `$' + '{{ b: 1 }.b} // no`; // one', ['// one']],
  ['regular expressions with comment signs', 'const a = /[/*]\\/\\/ no/g; // one', ['// one']],
  ['a quote in a regular expression', "a.match(/'/); // one", ['// one']],
  ['divisions', "const a = b / c; const d = 'x' / 2; // one", ['// one']],
  ['URLs', "fetch('https://example.com'); // one", ['// one']],
])('lintel check finds the comments of a TypeScript file with %s', (_, text, expected) => {
  const found = listCodeComments(text);
  expect(found.map(comment => comment.text)).toEqual(expected);
  for (const comment of found) expect(text.startsWith(comment.text, comment.offset)).toBe(true);
});

test.each([
  ['a; // lintel-ignore LNT4016: known', { type: 'line', line: 1 }],
  ['a; /* lintel-ignore LNT4016: known */', { type: 'line', line: 1 }],
  ['// lintel-ignore LNT4016: known\n\n// more\na;', { type: 'node', line: 4 }],
  ['/* lintel-ignore LNT4016: known */\na;', { type: 'node', line: 2 }],
  ['/* lintel-ignore LNT4016: known */ a;', { type: 'line', line: 1 }],
])('lintel check finds the line that the comment %j concerns', (text, scope) => {
  const directives = listCommentDirectives(new SourceText('app.ts', text));
  expect(directives).toMatchObject([{ codes: ['LNT4016'], scope: { ...scope, file: 'app.ts' } }]);
  expect(directives[0]?.reason.trim()).toBe('known');
});

test('lintel check reports a misspelt lintel-ignore in a TypeScript file', () => {
  const [directive] = listCommentDirectives(new SourceText('app.ts', '// lintel-ingore LNT4016: known\na;'));
  expect(directive?.misspelt).toEqual({ written: 'lintel-ingore', right: 'lintel-ignore' });
});

test('lintel check does not read a lintel-ignore inside of a TypeScript string', () => {
  expect(listCommentDirectives(new SourceText('app.ts', "const a = '// lintel-ignore LNT4016: known';"))).toEqual([]);
});
