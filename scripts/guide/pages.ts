import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A page for people, by its path from the root with slashes. */
interface Page {
  readonly file: string
  readonly text: string
  /** The page without its code blocks. */
  readonly prose: string
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm

/** Pages that a pattern finds, sorted. */
export function readPages(pattern: string): Page[] {
  return globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n')
      return { file, text, prose: text.replaceAll(fence, '') }
    })
}

/** Code blocks of a page, in their order, with the language of their fence. */
export const codeBlocks = ({ text }: Page) =>
  [...text.matchAll(fence)].map(([, language = '', code = '']) => ({ language, code }))

/** Targets of links and pictures of a page that are files of the project, without fragments. */
export const targets = ({ file, prose }: Page): { readonly file: string; readonly fragment: string }[] =>
  [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [name = '', fragment = ''] = target.split('#')
    return [{ file: name === '' ? file : path.posix.join(path.posix.dirname(file), name), fragment }]
  })

/** Headings of a page with their depth. */
export const headings = ({ prose }: Page): { readonly depth: number; readonly title: string }[] =>
  [...prose.matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', title = '']) => ({ depth: marks.length, title }))
