/** Bumped when a reader that knows the previous number would misread an answer. */
export const ANSWER_FORMAT_VERSION = 1;
