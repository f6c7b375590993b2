/** What a page of a list leads to: the answer to the question, or where the next page begins. */
export type PageStep<A, From> = { readonly answer: A } | { readonly next: From }

/**
 * Answers a question from a list that a service gives by pages only, as a hosted one does: reads page after page until `look` has the answer, `most` of
 * them at most. Resolves with what the last page led to: without an answer, with where to read on.
 */
export async function readPages<Page, A, From>(options: {
  readonly most: number
  /** The page that begins there; the first one without. */
  readonly read: (from: From | undefined) => Promise<Page>
  readonly look: (page: Page) => PageStep<A, From>
}): Promise<PageStep<A, From>> {
  let from: From | undefined
  for (let page = 1; ; page++) {
    const step = options.look(await options.read(from))
    if ('answer' in step || page >= options.most) return step
    from = step.next
  }
}
