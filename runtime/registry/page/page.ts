/**
 * A page on which people look through what is listed. It is the same for every client and holds nothing: its script reads the API as any
 * other client does, so what a person sees is what the API gives to their token.
 */
import type { PagePart } from '#schemas';
import { PAGE_STYLE } from '#util';
import type { PreparedBody } from '../api.ts';
import { PreparedResponse } from '../listing/index.ts';
import { MARKUP } from './markup.ts';
import { SCRIPT } from './script.ts';
import { SNIPPET_SCRIPT } from './snippet-script.ts';
import { STYLE } from './style.ts';

/** It loads its own style and script, asks its own server alone, is in no frame, and sends no forms. */
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
