import { getMember, isObject, LABEL_DOMAIN } from '#schemas';
import type { ResourceDocument } from '../source/classify.ts';
import { locateValue } from '../source/locate-finding.ts';
import { isMisspelt } from './misspelt-word.ts';
import { getSourceIdentity } from './scope.ts';
import type { Directive } from './suppression.ts';

const WORD = 'ignore';
const OURS = `${LABEL_DOMAIN}/`;
const PREFIX = `${OURS}${WORD}.`;

/** Suppressions in annotations, `lintel.dev/ignore.CODE: "reason"`, which apply to the whole object. */
export function listAnnotationDirectives({ doc, object }: ResourceDocument): readonly Directive[] {
  const annotations = getMember(getMember(doc.value, 'metadata'), 'annotations');
  if (!isObject(annotations)) return [];
  return Object.keys(annotations)
    .map(key => ({ key, misspelt: findMisspelt(key) }))
    .filter(({ key, misspelt }) => misspelt !== undefined || key.startsWith(PREFIX))
    .map(({ key, misspelt }) => {
      const path = ['metadata', 'annotations', key];
      const value = getMember(annotations, key);
      return {
        by: 'annotation',
        ...(misspelt && { misspelt }),
        codes: [key.slice(PREFIX.length)].filter(code => code !== ''),
        reason: typeof value === 'string' ? value : '',
        location: { ...locateValue(doc, path, 'key'), object },
        scope: { type: 'object', home: getSourceIdentity(doc), object },
      };
    });
}

function findMisspelt(key: string): Directive['misspelt'] {
  if (!key.startsWith(OURS) || key.startsWith(PREFIX)) return undefined;
  // The separator after the word may be wrong as well.
  const [, word = '', code = ''] = /^([A-Za-z]+)[-._/](.*)$/.exec(key.slice(OURS.length)) ?? [];
  return isMisspelt(word, WORD, code) ? { written: key, right: `${PREFIX}${code}` } : undefined;
}
