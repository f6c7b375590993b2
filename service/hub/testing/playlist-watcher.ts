import { setTimeout as pause } from 'node:timers/promises'
import {
  readMediaPlaylist,
  refreshFaults,
  playlistFaults,
  type ReadPlaylist,
} from '../../media/testing/hls-playlist-reader.ts'

/** What a player gets of a playlist. */
export interface WatchedPlaylist {
  last: ReadPlaylist
  /** MAPs and segments in playing order. */
  readonly parts: Buffer[]
  readonly uris: Set<string>
}

/** A player that polls ten times a second, compares each refresh with the last and fetches every file. */
export interface PlaylistWatcher {
  readonly faults: string[]
  readonly playlists: WatchedPlaylist[]
  /** Status of the last answer. */
  status(): number
  stop(): Promise<void>
}

/** Watches the playlist at an address. */
export function watchPlaylist(url: string): PlaylistWatcher {
  const faults: string[] = []
  const playlists: WatchedPlaylist[] = []
  let status = 0
  const stopped = new AbortController()
  let current: WatchedPlaylist | undefined

  const fetched = async (uri: string): Promise<Buffer> => {
    const answer = await fetch(new URL(uri, url))
    if (!answer.ok) faults.push(`${uri}: ${answer.status}`)
    return Buffer.from(await answer.arrayBuffer())
  }
  const look = async (): Promise<void> => {
    const answer = await fetch(url)
    status = answer.status
    const text = await answer.text()
    if (status !== 200) {
      current = undefined
      return
    }
    const now = readMediaPlaylist(text)
    if (current?.last.ended && !now.ended) current = undefined
    if (current) faults.push(...refreshFaults(current.last, now))
    else {
      faults.push(...playlistFaults(now))
      current = { last: now, parts: [], uris: new Set() }
      playlists.push(current)
    }
    for (const { uri, map, discontinuity } of now.segments) {
      if (current.uris.has(uri)) continue
      if (current.uris.size === 0 || discontinuity) current.parts.push(await fetched(map))
      current.uris.add(uri)
      current.parts.push(await fetched(uri))
    }
    // Set last: the test may remove segments once it sees the end.
    current.last = now
  }
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      await look().catch((error: unknown) => faults.push(String(error)))
      await pause(100)
    }
  })()
  return {
    faults,
    playlists,
    status: () => status,
    async stop() {
      stopped.abort()
      await watching
    },
  }
}
