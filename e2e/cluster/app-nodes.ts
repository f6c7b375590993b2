import { readFileSync } from 'node:fs'
import type { ClusterReady } from '../../scripts/cluster/cluster.ts'

type Node = ClusterReady['nodes'][number]

const established = '01'
/** Connections to the listener of signed calls of each node, by its name. */
function connections(nodes: readonly Node[]): Map<string, string> {
  const byPort = new Map(nodes.map(({ name, own }) => [own.api, name]))
  const open = new Map<string, string>()
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, here = '', there = '', state] = line.trim().split(/\s+/)
    const name = byPort.get(Number.parseInt(here.split(':')[1] ?? '', 16))
    if (name !== undefined && state === established) open.set(`${here} ${there}`, name)
  }
  return open
}

/** Which node answers an event stream: the one with a connection that was there at each look so far. */
export function streamingNode(nodes: readonly Node[]): { look(): string | undefined } {
  let lasting: Map<string, string> | undefined
  let looks = 0
  return {
    look() {
      const now = connections(nodes)
      lasting = new Map([...(lasting ?? now)].filter(([connection]) => now.has(connection)))
      // None yet: it is looked for anew.
      if (lasting.size === 0) [lasting, looks] = [undefined, 0]
      const [name, ...others] = lasting?.values() ?? []
      return ++looks > 10 && others.length === 0 ? name : undefined
    },
  }
}

/** Where the push of a channel is: that node gives out its media, the others lead there. */
export async function pushingNode(nodes: readonly Node[], hlsPullUrl: string): Promise<string | undefined> {
  const { pathname, search } = new URL(hlsPullUrl)
  for (const { name, own } of nodes) {
    const answer = await fetch(`http://127.0.0.1:${own.media}${pathname}${search}`, { redirect: 'manual' }).catch(
      () => undefined,
    )
    if (answer?.status === 200) return name
  }
  return undefined
}
