/** References of comments to pages that are not in the repository: `(decisions, Live)`, `(design, 7)`, `(issue: …)`. */
const elsewhere =
  /\((?:[^()]* )?(?:decisions|design(?: notes)?|issue|DESIGN|SCALE)(?:[,:] | rule )[^)]*\)|\bCHECKS \d+/g
const toBehaviour = /behaviour\.md#([\w-]*)/g

/** The anchor that a heading of a Markdown page has. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')

/** The anchors of a Markdown page, in order. */
export const anchorsOf = (page: string): string[] =>
  Array.from(page.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => anchorOf(heading))

/** What is wrong with the references in a source file to `docs/behaviour.md`, whose anchors are given, and to pages that are not here. */
export function citationFaults(source: string, anchors: ReadonlySet<string>): string[] {
  return source.split('\n').flatMap((line, index) => [
    ...Array.from(line.matchAll(elsewhere), ([cited]) => `${index + 1}: ${cited} is no page of the repository`),
    ...Array.from(line.matchAll(toBehaviour))
      .filter(([, anchor = '']) => !anchors.has(anchor))
      .map(([cited]) => `${index + 1}: ${cited} is no heading of docs/behaviour.md`),
  ])
}

/** Anchors of a page that two of its headings have. */
export const doubledAnchors = (anchors: readonly string[]): string[] =>
  anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)
