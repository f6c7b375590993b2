import { connect } from 'node:tls'

/**
 * Many players of HTTP-FLV over TLS in one process that count bytes: `tls-players.ts URL PLAYERS WARM-UP SECONDS`.
 * Prints `{"event":"measuring"}` when the warm-up is over and `{"event":"done",…}` at the end.
 */
const [address = '', players = '1', warmUp = '3', seconds = '10'] = process.argv.slice(2)
const url = new URL(address)
let bytes = 0
let lost = 0

function open(): void {
  const socket = connect({ host: url.hostname, port: Number(url.port), rejectUnauthorized: false })
  socket.once('secureConnect', () => socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`))
  socket.on('data', (part: Buffer) => (bytes += part.length))
  socket.on('error', () => undefined)
  socket.on('close', () => (lost += 1))
}

for (let index = 0; index < Number(players); index++) setTimeout(open, index * 10)
setTimeout(
  () => {
    const begun = performance.now()
    const before = bytes
    console.log(JSON.stringify({ event: 'measuring' }))
    setTimeout(
      () => {
        const taken = (performance.now() - begun) / 1000
        console.log(JSON.stringify({ event: 'done', bytes: bytes - before, seconds: taken, lost }))
        process.exit(0)
      },
      Number(seconds) * 1000,
    )
  },
  Number(players) * 10 + Number(warmUp) * 1000,
)
