/** The page that lists all kinds and files. */

import { relativeTo } from '../addresses.ts';
import { firstSentence, prose, renderTable } from '../html.ts';
import { SITE } from '../this-site.ts';

const PAGE = 'fields/index.html';

export const data: object = { permalink: PAGE, title: 'Fields' };

export function render(): string {
  const rows = SITE.kinds.map(({ path, output, schema }) => [
    `<a href="${relativeTo(PAGE, output)}"><code>${path}</code></a>`,
    prose(firstSentence(schema.description ?? '')),
  ]);
  return `<h1>Fields</h1>
<p>Every kind and file, and a page for each of their ${SITE.fields.length - SITE.kinds.length} fields. A field that is not here is an error.</p>
${renderTable('Kinds and files', ['Kind or file', 'Meaning'], rows)}`;
}
