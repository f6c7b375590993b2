import type { Presence } from './presence.ts'

/** Names of the other services of a cluster that are there now; call before presence starts. */
export function otherNodes(presence: Pick<Presence, 'kind'>): () => readonly string[] {
  const names = new Set<string>()
  const kind = presence.kind<true>('node', {
    came: ({ node }) => void names.add(node),
    gone: ({ node }) => void names.delete(node),
  })
  kind.put('here', true)
  return () => [...names].sort()
}
