/** Thrown by a handler to answer a code of its operation's list, with a sentence for `msg` or `desc`. */
export class Refused extends Error {
  readonly code: number

  constructor(code: number, sentence: string) {
    super(sentence)
    this.code = code
  }
}
