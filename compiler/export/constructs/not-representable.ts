/** Thrown if no construct can represent a part of the spec. The message says which part; the program contains it as a comment. */
export class NotRepresentable extends Error {}
