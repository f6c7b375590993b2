import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

/** Which build each node of a cluster runs from its next start on (`--programs` of `npm run cluster`). */
export interface NodePrograms {
  readonly folder: string
  /** The folder of a build: its `out/main`. What runs already goes on with what it began with. */
  use(node: string, build: string): void
}

/** Makes them in a folder. */
export function nodePrograms(folder: string, nodes: readonly string[], build: string): NodePrograms {
  mkdirSync(folder, { recursive: true })
  const use = (node: string, other: string): void => {
    const link = path.join(folder, node)
    rmSync(link, { force: true })
    symlinkSync(other, link)
  }
  for (const node of nodes) use(node, build)
  return { folder, use }
}
