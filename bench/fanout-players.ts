import { connect } from 'node:net'
import { writeAmf0 } from '../service/media/amf0-writer.ts'
import { numberBody, writeChunks } from '../service/media/rtmp-chunk-writer.ts'

/**
 * Many players in one process that count bytes and pauses and look at nothing else: `fanout-players.ts URL PLAYERS WARM-UP SECONDS`, http or
 * rtmp. Prints `{"event":"measuring"}` when the warm-up is over and `{"event":"done",…}` at the end.
 */
const [address = '', players = '1', warmUp = '3', seconds = '10'] = process.argv.slice(2)
const url = new URL(address)
const stallAfter = 1000
const acknowledgeEvery = 1_000_000

interface Player {
  bytes: number
  last: number
  longest: number
  stalls: number
  lost: boolean
}
const all: Player[] = []

// One buffer for everybody: nothing is kept.
const shared = Buffer.allocUnsafe(256 * 1024)

function open(
  greet: (
    send: (bytes: Buffer | string) => void,
    got: (handler: (length: number, total: number) => void) => void,
  ) => void,
): void {
  const player: Player = { bytes: 0, last: 0, longest: 0, stalls: 0, lost: false }
  all.push(player)
  let handler: ((length: number, total: number) => void) | undefined
  const socket = connect({
    host: url.hostname,
    port: Number(url.port),
    onread: {
      buffer: shared,
      callback(length) {
        const now = performance.now()
        if (player.last > 0) {
          const gap = now - player.last
          if (gap > player.longest) player.longest = gap
          if (gap > stallAfter) player.stalls += 1
        }
        player.last = now
        player.bytes += length
        handler?.(length, player.bytes)
        return true
      },
    },
  })
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('close', () => (player.lost = true))
  socket.on('connect', () =>
    greet(
      (bytes) => void socket.write(bytes),
      (next) => (handler = next),
    ),
  )
}

const openFlv = (): void => open((send) => send(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`))

/** Handshake, connect, createStream and play, each after an answer of the server; then acknowledgements only. */
function openRtmp(): void {
  const [, app = 'live', name = ''] = url.pathname.split('/')
  const message = (type: number, streamId: number, body: Buffer): Buffer =>
    writeChunks({ type, streamId, timestamp: 0, body }, 3)
  const steps = [
    (): Buffer =>
      message(20, 0, writeAmf0('connect', 1, { app, flashVer: 'bench', tcUrl: `rtmp://${url.host}/${app}` })),
    (): Buffer => message(20, 0, writeAmf0('createStream', 2, null)),
    (): Buffer => message(20, 1, writeAmf0('play', 3, null, name, -1000)),
  ]
  open((send, got) => {
    send(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]))
    let step = 0
    let acknowledged = 0
    got((_, total) => {
      if (total < 3073) return
      if (step === 0) {
        // Any C2 of the right length is taken by all servers measured; it should echo S1.
        send(Buffer.alloc(1536))
        step = 1
        for (const [index, next] of steps.entries()) setTimeout(() => send(next()), index * 150)
      }
      if (total - acknowledged < acknowledgeEvery) return
      acknowledged = total
      send(message(3, 0, numberBody(total >>> 0)))
    })
  })
}

for (let index = 0; index < Number(players); index++)
  setTimeout(url.protocol === 'rtmp:' ? openRtmp : openFlv, index * 5)

setTimeout(
  () => {
    const begun = performance.now()
    const before = all.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const player of all) {
      player.longest = 0
      player.stalls = 0
      player.last = begun
    }
    console.log(JSON.stringify({ event: 'measuring' }))
    setTimeout(
      () => {
        const now = performance.now()
        const bytes = all.reduce((sum, player) => sum + player.bytes, 0) - before
        const stalled = all.filter(({ stalls, last, lost }) => stalls > 0 || lost || now - last > stallAfter).length
        const longestPause = Math.max(...all.map(({ longest, last }) => Math.max(longest, now - last)))
        console.log(
          JSON.stringify({
            event: 'done',
            bytes,
            seconds: (now - begun) / 1000,
            stalled,
            lost: all.filter(({ lost }) => lost).length,
            longestPause,
          }),
        )
        process.exit(0)
      },
      Number(seconds) * 1000,
    )
  },
  Number(players) * 5 + Number(warmUp) * 1000,
)
