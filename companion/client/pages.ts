/** The answer to the question, or where the next page begins. */
type PageStep<A, From> = { readonly answer: A } | { readonly next: From }

/** Reads at most `most` pages of a list until `look` has the answer; else resolves with where to read on. */
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
