import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createServiceBounds } from '../listener-bounds.ts'
import { createLog } from '../log.ts'
import { startService } from '../testing/start-service.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly remote?: string
  readonly reason?: string
}
const version1 = 'PROXY TCP4 203.0.113.5 192.0.2.1 4711 443\r\n'
const version2 = Buffer.concat([
  Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'latin1'),
  Buffer.from([203, 0, 113, 5, 192, 0, 2, 1, 0x12, 0x67, 0x01, 0xbb]),
])

async function start(trustedProxies: readonly string[]) {
  const lines: Line[] = []
  const log = createLog({ destination: { write: (line: string) => void lines.push(JSON.parse(line) as Line) } })
  const { service, close } = await startService({ log, trustedProxies })
  onTestFinished(close)
  /** Says it to a listener and waits for the end of the connection. */
  const say = async (port: number, ...parts: readonly (string | Buffer)[]): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.9' })
    let told = ''
    socket.on('error', () => undefined).on('data', (part: Buffer) => (told += part.toString('latin1')))
    socket.write(Buffer.concat(parts.map((part) => Buffer.from(part))))
    await once(socket, 'close')
    return told
  }
  return { listening: service.listening, lines, say }
}
const request = 'GET /watch/none HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'

it('a PROXY header of who is no trusted proxy is told in the log with its address and the switch', async () => {
  const { listening, lines, say } = await start([])
  for (const listener of ['media', 'api'] as const)
    for (const header of [version1, version2]) {
      lines.length = 0
      expect(await say(listening[listener], header, request)).toMatch(/^HTTP\/1\.1 400 /)
      expect(lines).toEqual([
        expect.objectContaining({
          level: 40,
          remote: '127.0.0.9',
          msg: 'a PROXY header came from an address that is not trusted as a proxy: name it with --trust-proxy',
        }),
      ])
    }
  for (const header of [version1, version2]) {
    lines.length = 0
    await say(listening.rtmp, header, Buffer.from([3]))
    expect(lines).toEqual([
      expect.objectContaining({
        remote: '127.0.0.9',
        reason: 'a PROXY header of a peer that is not trusted as a proxy: name it with --trust-proxy',
      }),
    ])
  }
  lines.length = 0
  await say(listening.rtmp, 'GET / HTTP/1.1\r\n\r\n')
  await say(listening.media, 'NONSENSE\r\n\r\n')
  expect(lines).toEqual([expect.objectContaining({ reason: 'not an RTMP handshake' })])
})

it('one of a trusted proxy is read, and what its client says of the kind is no matter of trust', async () => {
  const { listening, lines, say } = await start(['127.0.0.9'])
  expect(await say(listening.media, version1, request)).toMatch(/^HTTP\/1\.1 4(?:03|04) /)
  expect(await say(listening.media, version1, version1, request)).toMatch(/^HTTP\/1\.1 400 /)
  expect(lines.filter(({ level }) => level === 40)).toEqual([])
})

it('the lines on it are few, however many come', () => {
  const clock = manualClock()
  const said: object[] = []
  const bounds = createServiceBounds({ log: { warn: (fields) => void said.push(fields) }, clock })
  for (let count = 0; count < 100; count++) bounds.media.untrusted!('192.0.2.1')
  expect(said).toHaveLength(5)
  clock.advance(60_000)
  bounds.api.untrusted!('192.0.2.1')
  expect(said.at(-1)).toEqual({ remote: '192.0.2.1', leftOut: 95 })
  bounds.close()
})
