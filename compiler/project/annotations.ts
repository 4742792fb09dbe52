import { LABEL_DOMAIN } from '#schemas';
import { pointerOf } from '../diagnostics/pointer.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { isMapping, memberOf } from '../source/is-mapping.ts';
import type { Directive } from './suppression.ts';

const PREFIX = `${LABEL_DOMAIN}/ignore.`;

/** The annotations `lintel.dev/ignore.CODE: "reason"` of an object, which are about all of it. */
export function annotationDirectives({ doc, object }: ResourceDocument): readonly Directive[] {
  const annotations = memberOf(memberOf(doc.value, 'metadata'), 'annotations');
  if (!isMapping(annotations)) return [];
  return Object.keys(annotations)
    .filter(key => key.startsWith(PREFIX))
    .map(key => {
      const path = ['metadata', 'annotations', key];
      const value = memberOf(annotations, key);
      return {
        by: 'annotation',
        codes: [key.slice(PREFIX.length)].filter(code => code !== ''),
        reason: typeof value === 'string' ? value : '',
        place: { file: doc.file, pointer: pointerOf(path), range: doc.locate(path, 'key'), object },
        scope: { type: 'object', file: doc.file, object },
      };
    });
}
