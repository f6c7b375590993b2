import { setTimeout as wait } from 'node:timers/promises'
import { startEncoder } from '../encoder.ts'

/** How long OBS waits before it connects again, in ms. */
const encoderPause = 2000
/** How long a player waits before it asks again, in ms. */
const playerPause = 250

/** Longest times between two signs of life of something, in ms. */
export interface Silence {
  /** The longest one since the last question, and the one that lasts. */
  take(): number
}

function createSilence(): Silence & { heard(): void; readonly hasBegun: boolean } {
  let [last, longest] = [0, 0]
  return {
    get hasBegun() {
      return last !== 0
    },
    heard() {
      const now = performance.now()
      if (last !== 0) longest = Math.max(longest, now - last)
      last = now
    },
    take() {
      const most = Math.max(longest, performance.now() - last)
      longest = 0
      return Math.round(most)
    },
  }
}

/** A push whose encoder connects again as OBS does, and players of it, which ask again when their stream ends. */
export function keepPushing(addresses: { readonly push: string; readonly flv: string; readonly hls: string }) {
  const ending = new AbortController()
  const { signal } = ending
  const [flv, hls, encoding] = [createSilence(), createSilence(), createSilence()]
  const pause = (ms: number): Promise<unknown> => wait(ms, undefined, { signal }).catch(() => undefined)
  const isOver = (): boolean => signal.aborted
  let [encoder, connections] = [startEncoder(addresses.push, { gopSeconds: 1 }), 1]

  async function encode(): Promise<void> {
    for (;;) {
      await encoder.exited
      if (isOver()) return
      await pause(encoderPause)
      if (isOver()) return
      encoder = startEncoder(addresses.push, { gopSeconds: 1 })
      connections++
    }
  }
  /** How far the encoder says it is: it says so twice a second while it sends. */
  async function noteEncoding(): Promise<void> {
    let known = 0
    for (; !isOver(); await pause(50)) {
      const bytes = encoder.progress().at(-1)?.bytes ?? 0
      if (bytes !== known && bytes > 0) encoding.heard()
      known = bytes
    }
  }
  async function playFlv(): Promise<void> {
    for (; !isOver(); await pause(playerPause))
      try {
        const { body, status } = await fetch(addresses.flv, { signal })
        if (status !== 200 || !body) continue
        for await (const _ of body) flv.heard()
      } catch {
        // Its node ended, or the channel is not on air: it asks again.
      }
  }
  async function playHls(): Promise<void> {
    let newest: string | undefined
    for (; !isOver(); await pause(playerPause))
      try {
        const answer = await fetch(addresses.hls, { signal })
        const segment = answer.status === 200 ? (await answer.text()).trim().split('\n').at(-1) : undefined
        if (segment === undefined || segment === newest || !segment.includes('.')) continue
        const { status } = await fetch(new URL(segment, answer.url), { signal })
        if (status !== 200) continue
        newest = segment
        hls.heard()
      } catch {
        // As above.
      }
  }
  const running = Promise.all([encode(), noteEncoding(), playFlv(), playHls()])
  return {
    silence: { encoder: encoding, flv, hls },
    isPlayed: () => flv.hasBegun && hls.hasBegun && encoding.hasBegun,
    /** How often the encoder connected. */
    connections: () => connections,
    async end(): Promise<void> {
      ending.abort()
      await encoder.stop('SIGKILL')
      await running
    },
  }
}
