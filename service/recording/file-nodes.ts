import type { Presence } from '../presence/presence.ts'

/** Which other services of a cluster can be asked for files that they have. */
export interface FileNodes {
  /** Root of the media side of a service, as players reach it; undefined for one that is not there. */
  root(node: string): string | undefined
}

/** Each service tells the others its root; `root` is that of this one, known once its listeners are bound. */
export function createFileNodes(presence: Presence, root: () => string): FileNodes & { start(): void } {
  const roots = new Map<string, string>()
  const kind = presence.kind<string>('mediaRoot', {
    came: ({ node }, there) => void roots.set(node, there),
    gone: ({ node }) => void roots.delete(node),
  })
  return {
    root(node) {
      const there = roots.get(node)
      // Services that have one address for all would lead in a circle.
      return there === root() ? undefined : there
    },
    start: () => kind.put('root', root()),
  }
}
