/**
 * The web page on which people search the listed servers. It is the same for every client and contains no data. Its script uses the API like any
 * other client, so a person sees the entries that the API returns for the person's token.
 */
import type { PagePart } from '#schemas';
import { PAGE_STYLE } from '#shared/util';
import type { PreparedBody } from '../api.ts';
import { PreparedResponse } from '../listing/index.ts';
import { MARKUP } from './markup.ts';
import { SCRIPT } from './script.ts';
import { SNIPPET_SCRIPT } from './snippet-script.ts';
import { STYLE } from './style.ts';

/** The page loads only its own style and script, sends requests only to its own server, may not be framed, and submits no forms. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE: { readonly [part in PagePart]: PreparedBody } = {
  html: new PreparedResponse(Buffer.from(MARKUP), 'text/html; charset=utf-8'),
  css: new PreparedResponse(Buffer.from(PAGE_STYLE + STYLE), 'text/css; charset=utf-8'),
  js: new PreparedResponse(Buffer.from(`'use strict';${SNIPPET_SCRIPT}${SCRIPT}`), 'text/javascript; charset=utf-8'),
};
