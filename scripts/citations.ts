import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** References of comments to pages that are not in the repository: `(decisions, Live)`, `(design, 7)`, `(issue: …)`. */
const elsewhere = /\((?:[^()]* )?(?:decisions|design(?: notes)?|issue|DESIGN|SCALE)(?:[,:] | rule )[^)]*\)/g
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

/** Checks every source file; also fails for a heading that stands twice in docs/behaviour.md. */
function main(): void {
  const anchors = anchorsOf(readFileSync('docs/behaviour.md', 'utf8'))
  const faults = anchors
    .filter((anchor, index) => anchors.indexOf(anchor) !== index)
    .map((anchor) => `docs/behaviour.md: two headings have the anchor ${anchor}`)
  const files = globSync(
    '{contract,platform,service,companion,electron,browser,renderer,scripts,bench,e2e}/**/*.{ts,mjs,cjs,vue,css}',
    {
      exclude: (file) => file.includes('node_modules') || /citations(?:\.test)?\.ts$/.test(file),
    },
  )
  for (const file of files)
    faults.push(...citationFaults(readFileSync(file, 'utf8'), new Set(anchors)).map((fault) => `${file}:${fault}`))
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) main()
